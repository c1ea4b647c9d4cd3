/** Of this client, as every fingerprint names it; the same as in package.json, which a bundle has not. */
export const VERSION = '0.1.0';
