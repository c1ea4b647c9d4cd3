// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) in plain TypeScript: node:crypto is not in a browser, Web Crypto answers
// asynchronously only, and what is hashed here is short.

const BLOCK_BYTES = 64;

/** First 32 bits of the fractions of the square roots of the first 8 primes. */
const initialState = Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);
/** … of the cube roots of the first 64: written out, because `Math.cbrt` may differ between engines. */
const roundConstants = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** SHA-256 of bytes: 32 bytes. */
function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  const state = initialState.slice();
  const schedule = new Int32Array(64);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(at + i * 4);
    compress(state, schedule);
  }
  const digest = new Uint8Array(32);
  const words = new DataView(digest.buffer);
  state.forEach((word, i) => words.setInt32(i * 4, word));
  return digest;
}

/** Works one block, the first 16 words of `schedule`, into the state. */
function compress(state: Int32Array, schedule: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const w15 = schedule[i - 15]!;
    const w2 = schedule[i - 2]!;
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    schedule[i] = schedule[i - 16]! + s0 + schedule[i - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + roundConstants[i]! + schedule[i]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i]! += word;
  });
}

/** UTF-8; a lone surrogate becomes U+FFFD, as everywhere else. */
export function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.codePointAt(at)!;
    if (code > 0xffff) at++;
    else if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) bytes[length++] = code;
    else {
      const more = code < 0x800 ? 1 : code < 0x1_0000 ? 2 : 3;
      bytes[length++] = [0, 0xc0, 0xe0, 0xf0][more]! | (code >>> (6 * more));
      for (let i = more - 1; i >= 0; i--) bytes[length++] = 0x80 | ((code >>> (6 * i)) & 0x3f);
    }
  }
  return bytes.slice(0, length);
}

/** HMAC-SHA-256 of the UTF-8 bytes of `message`: 32 bytes. */
export function hmacSha256(secret: Uint8Array, message: string): Uint8Array {
  const key = new Uint8Array(BLOCK_BYTES);
  key.set(secret.length > BLOCK_BYTES ? sha256(secret) : secret);
  const keyed = (mark: number, bytes: Uint8Array): Uint8Array => {
    const whole = new Uint8Array(BLOCK_BYTES + bytes.length);
    whole.set(key.map((byte) => byte ^ mark));
    whole.set(bytes, BLOCK_BYTES);
    return sha256(whole);
  };
  return keyed(0x5c, keyed(0x36, utf8(message)));
}

/** SHA-256 of the UTF-8 bytes of `text`: 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return Array.from(sha256(utf8(text)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
