import { createLineprintClient } from '@lineprint/api-client';
import { currentSession, endSession } from '../session/session';

/** The API of the server that the page came from, with the session's credential. */
export const api = createLineprintClient({
  baseUrl: location.origin,
  apiKey: () => currentSession()?.credential,
  fetch: send,
});

/** A credential that is refused ends its session: the page shows the login again, and why. */
async function send(request: Request): Promise<Response> {
  const session = currentSession();
  const response = await fetch(request);
  // A slow answer to the credential of before must not end the session that has begun meanwhile.
  if (response.status === 401 && session !== null && currentSession() === session) endSession('refused');
  return response;
}
