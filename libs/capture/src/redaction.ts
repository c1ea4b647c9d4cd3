const REPLACEMENT = 'REDACTED';

/** Credentials that are known by their form; `secret` is the part that goes. */
const KNOWN_FORMS = [
  /(?<secret>\bA(?:KIA|SIA)[0-9A-Z]{16}\b)/g,
  /(?<secret>\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,})/g,
  /(?<secret>\bglpat-[\w-]{16,})/g,
  /(?<secret>\bxox[abeoprs]-[\w-]{10,})/g,
  /(?<secret>\bsk-[\w-]{20,}|\bsk_(?:live|test)_\w{16,})/g,
  /(?<secret>\bAIza[\w-]{35})/g,
  /(?<secret>\blp_[A-Za-z0-9_]{20,})/g,
  /(?<secret>\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+)/g,
  // password of an address: scheme://user:password@host
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]*:(?<secret>[^\s/@'"]+)@/gi,
  /\bbearer\s+(?<secret>[\w.~+/-]{16,}=*)/gi,
];

/** A literal that is given to a name such as `password` or `API_KEY`. */
const NAMED_SECRET =
  /(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)\w*["']?\s*(?::|=>?|:=)\s*(?<quote>["'`])(?<secret>[^"'`\r\n]{6,})\k<quote>/gi;

/** The same in files of settings, which need no quotes. */
const NAMED_SETTING =
  /^[ \t]*(?:export[ \t]+)?[\w.-]*(?:PASSW(?:OR)?D|SECRET|TOKEN|API[_-]?KEY|ACCESS[_-]?KEY|PRIVATE[_-]?KEY|CREDENTIAL)[\w.-]*[ \t]*[=:][ \t]*(?<secret>[^\s"'`(){}[\];,]{6,})[ \t]*\r?$/gim;

const KEY_BLOCK =
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----\r?\n)([\s\S]*?)(-----END [A-Z ]*PRIVATE KEY-----|$(?![\s\S]))/g;

/**
 * A text with a constant in place of each secret, line for line. Prints are keyed and signatures are of many words,
 * but a secret that somebody can guess is not to be found by either.
 */
export function redactSecrets(text: string): string {
  let result = text.replace(
    KEY_BLOCK,
    (_, begin: string, body: string, end: string) => begin + body.replace(/[^\r\n]+/g, REPLACEMENT) + end,
  );
  for (const form of [...KNOWN_FORMS, NAMED_SECRET, NAMED_SETTING]) {
    result = result.replace(form, (match: string, ...rest: unknown[]) => {
      const { secret } = rest.at(-1) as { secret: string };
      // The last occurrence: a user may have the password's name.
      const at = match.lastIndexOf(secret);
      return match.slice(0, at) + REPLACEMENT + match.slice(at + secret.length);
    });
  }
  return result;
}
