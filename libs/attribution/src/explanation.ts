import { AttributionError } from './attribution-error';
import { MATCH_RULES, type MatchRule } from './alignment';

/** Why one line was given to a snippet. */
export interface LineExplanation {
  readonly rule: MatchRule;
  /** Number of the snippet's line, from 0; 65535 stands for all above. */
  readonly snippetLine: number;
  /** Evidence of this line alone, in bits. */
  readonly bits: number;
}

/** Rule (uint8), snippet line (uint16), bits (uint16, in 1/64), little-endian. */
const LINE_BYTES = 5;
const BIT_UNIT = 1 / 64;
const MAX_WORD = 0xffff;

/** Packs the explanations of a file's matched lines, in their order: base64, 5 bytes a line. */
export function encodeExplanations(lines: readonly LineExplanation[]): string {
  const bytes = Buffer.alloc(lines.length * LINE_BYTES);
  lines.forEach(({ rule, snippetLine, bits }, i) => {
    bytes.writeUInt8(MATCH_RULES.indexOf(rule), i * LINE_BYTES);
    bytes.writeUInt16LE(Math.min(MAX_WORD, snippetLine), i * LINE_BYTES + 1);
    bytes.writeUInt16LE(Math.min(MAX_WORD, Math.round(bits / BIT_UNIT)), i * LINE_BYTES + 3);
  });
  return bytes.toString('base64');
}

/** @throws AttributionError `explanation-malformed` where the bytes are none */
export function decodeExplanations(base64: string): LineExplanation[] {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % LINE_BYTES !== 0) {
    throw new AttributionError('explanation-malformed', `${bytes.length} bytes are no whole explanations`);
  }
  return Array.from({ length: bytes.length / LINE_BYTES }, (_, i) => {
    const rule = MATCH_RULES[bytes.readUInt8(i * LINE_BYTES)];
    if (!rule) throw new AttributionError('explanation-malformed', 'a rule is not known here');
    return {
      rule,
      snippetLine: bytes.readUInt16LE(i * LINE_BYTES + 1),
      bits: bytes.readUInt16LE(i * LINE_BYTES + 3) * BIT_UNIT,
    };
  });
}
