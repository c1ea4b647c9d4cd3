import type { CodeFingerprint, Source } from '@lineprint/contracts';
import {
  computeLinePrints,
  extensionOf,
  hex64,
  languageOf,
  linePrintsToBase64,
  pathKey,
  sha256Hex,
  structureHash,
  textBands,
  textSignature,
  type LineKey,
  type LinePrint,
} from '@lineprint/fingerprint';
import { addedSpans, linesOf, type LineSpan } from './changed-lines';

/** What is known of an accepted change beside its text. */
export interface CaptureContext {
  /** Relative to the repository's root, `/` between its parts. Only its keyed hash is sent. */
  readonly path: string;
  /** Language id; by the path's name when absent. */
  readonly language?: string;
  readonly source: Source;
  readonly sessionId: string;
  /** The session that started this one as a sub-agent. */
  readonly parentSessionId?: string;
  readonly userId: string;
  readonly projectId?: string;
  readonly orgId?: string;
  readonly repository?: string;
  readonly model?: string;
  /** When the change was accepted, in milliseconds since 1970. */
  readonly timestamp: number;
  /** Number of the tool call (or acceptance) within its session, from 0: makes the code ids. */
  readonly toolCallIndex: number;
  /** The organisation's key. */
  readonly lineKey: LineKey;
  readonly edit?: { kind: 'insert' | 'replace' | 'write' | 'patch' };
  readonly acceptedPartially?: boolean;
  /** The commit that names an AI, when there was no acceptance to see. */
  readonly declaredBy?: string;
  readonly client?: { name: string; version: string };
  /** Send the code itself as well: only where the organisation opted in. */
  readonly includeCode?: boolean;
}

/** Lines of one fingerprint: keeps a message of a generated giant far below the limits of a batch. */
const MAX_LINES = 20_000;
const MAX_RAW_CODE = 1_000_000;
const MAX_CODE_ID = 64;

/**
 * Fingerprints of an accepted edit: one for each run of lines that the edit added or changed. Lines that
 * were there before are not the AI's, and runs of blank lines give nothing.
 */
export function captureEdit(edit: CaptureContext & { before: string; after: string }): CodeFingerprint[] {
  const { before, after, ...context } = edit;
  return captureHunks({ ...context, content: after, hunks: addedSpans(before, after) });
}

/**
 * The same where the changed lines are known already.
 * @param change.content the whole new file: comments and strings carry over lines
 * @param change.hunks spans of its lines, counted from 0, both ends included, in ascending order
 */
export function captureHunks(
  change: CaptureContext & { content: string; hunks: readonly LineSpan[] },
): CodeFingerprint[] {
  const { content, hunks, ...context } = change;
  if (hunks.length === 0) return [];
  const language = context.language ?? languageOf(context.path);
  const lines = linesOf(content);
  const prints = computeLinePrints(content, language, context.lineKey);
  const fixed = fixedFields(context, language);
  const chunks = hunks.flatMap(split);
  return chunks.flatMap((span, chunkIndex) => {
    const from = firstPrintFrom(prints, span.first);
    const to = firstPrintFrom(prints, span.last + 1);
    if (from === to) return [];
    const code = lines.slice(span.first, span.last + 1).join('\n');
    const signature = textSignature(code);
    const above = prints[from - 1];
    const below = prints[to];
    const ours = prints.slice(from, to).map((print) => ({ ...print, line: print.line - span.first }));
    return [
      {
        ...fixed,
        codeId: codeId(context.sessionId, context.toolCallIndex, chunkIndex),
        signature: [...signature],
        lshBuckets: [...textBands(signature)],
        structureHash: structureHash(code),
        lineCount: span.last - span.first + 1,
        charCount: code.length,
        linePrints: linePrintsToBase64(ours),
        ...(above && { before: hex64(above.h1) }),
        ...(below && { after: hex64(below.h1) }),
        ...(context.includeCode && code.length <= MAX_RAW_CODE && { rawCode: code }),
      },
    ];
  });
}

function fixedFields(context: CaptureContext, language: string) {
  const { path, lineKey, sessionId, userId, source, timestamp } = context;
  const { projectId, orgId, repository, model, edit, acceptedPartially, parentSessionId } = context;
  const { declaredBy, client } = context;
  return {
    protocol: 2 as const,
    sessionId,
    userId,
    source,
    timestamp,
    language,
    fileExtension: knownExtensionOf(path),
    keyId: lineKey.keyId,
    pathKey: pathKey(path, lineKey),
    ...(projectId !== undefined && { projectId }),
    ...(orgId !== undefined && { orgId }),
    ...(repository !== undefined && { repository }),
    ...(model !== undefined && { model }),
    ...(edit !== undefined && { edit }),
    ...(acceptedPartially !== undefined && { acceptedPartially }),
    ...(parentSessionId !== undefined && { parentSessionId }),
    ...(declaredBy !== undefined && { declaredBy }),
    ...(client !== undefined && { client }),
  };
}

/** What follows the last dot of a name may be anything: only what names a language is sent. */
function knownExtensionOf(path: string): string {
  const extension = extensionOf(path);
  return languageOf(`file.${extension}`) === 'text' ? '' : extension;
}

function split({ first, last }: LineSpan): LineSpan[] {
  const spans: LineSpan[] = [];
  for (let from = first; from <= last; from += MAX_LINES) {
    spans.push({ first: from, last: Math.min(last, from + MAX_LINES - 1) });
  }
  return spans;
}

/** Index of the first print at or behind a line (binary search; prints are in order of their lines). */
function firstPrintFrom(prints: readonly LinePrint[], line: number): number {
  let low = 0;
  let high = prints.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (prints[middle]!.line < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * `{sessionId}-{toolCallIndex}-{chunkIndex}`, so that sending an edit again changes nothing. A session id
 * that leaves no room is replaced by 32 hex digits of its SHA-256.
 */
export function codeId(sessionId: string, toolCallIndex: number, chunkIndex: number): string {
  const place = `-${toolCallIndex}-${chunkIndex}`;
  if (sessionId.length + place.length <= MAX_CODE_ID) return sessionId + place;
  return sha256Hex(sessionId).slice(0, 32) + place;
}
