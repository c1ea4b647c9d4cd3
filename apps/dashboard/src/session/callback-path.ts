/** Where the OpenID provider sends the browser back to; to be registered there. */
export const CALLBACK_PATH = '/login/callback';
