import { z } from 'zod';
import {
  base64,
  count,
  epochMs,
  hex64,
  identifier,
  sha,
  sourceSchema,
  storedText,
  uint32,
} from '../primitives';

/** Protocol versions a client may name; a message without the field is version 1 (the seed's). */
export const PROTOCOL_VERSIONS = [1, 2] as const;
export const SIGNATURE_LENGTH = 128;
export const BAND_COUNT = 16;

const v1 = {
  codeId: identifier(64),
  sessionId: identifier(64),
  userId: identifier(255),
  projectId: identifier(255).optional(),
  orgId: identifier(255).optional(),
  source: sourceSchema,
  rawCode: z.string().max(1_000_000).optional(),
  signature: z.array(uint32).length(SIGNATURE_LENGTH),
  lshBuckets: z.array(uint32).length(BAND_COUNT),
  language: identifier(32),
  fileExtension: storedText(16),
  timestamp: epochMs,
  lineCount: count,
  charCount: count,
  structureHash: hex64,
};

const v2 = {
  protocol: z.literal(PROTOCOL_VERSIONS).optional(),
  /** Packed line prints (libs/fingerprint `encodeLinePrints`). */
  linePrints: base64.max(8_000_000).optional(),
  /** Which of the organisation's keys the prints were made with. */
  keyId: identifier(64).optional(),
  pathKey: hex64.optional(),
  before: hex64.optional(),
  after: hex64.optional(),
  repository: identifier(255).optional(),
  model: identifier(128).optional(),
  client: z.object({ name: identifier(64), version: identifier(32) }).optional(),
  edit: z.object({ kind: z.enum(['insert', 'replace', 'write', 'patch']) }).optional(),
  acceptedPartially: z.boolean().optional(),
  /** The session that started this one as a sub-agent. */
  parentSessionId: identifier(64).optional(),
  /** Set when the snippet was made from a commit that names an AI, not from an acceptance. */
  declaredBy: sha.optional(),
};

/** What a client sends: the seed's `AICodeFingerprint`, with version 2's optional fields. */
export const codeFingerprintSchema = z.object({ ...v1, ...v2 });
export type CodeFingerprint = z.infer<typeof codeFingerprintSchema>;

const { rawCode: _rawCode, ...v1WithoutCode } = v1;

/**
 * Value of `lineprint.snippets.v1`, key `tenant/project`. `signature` is 128 and `lshBuckets` 16
 * little-endian uint32 words in base64. Code travels only where the organisation opted in, and encrypted.
 */
export const snippetEventSchema = z.object({
  ...v1WithoutCode,
  ...v2,
  rawCodeEncrypted: z.string().optional(),
  tenant: identifier(64),
  projectId: identifier(255),
  signature: base64,
  lshBuckets: base64,
  protocol: z.literal(PROTOCOL_VERSIONS),
});
export type SnippetEvent = z.infer<typeof snippetEventSchema>;
