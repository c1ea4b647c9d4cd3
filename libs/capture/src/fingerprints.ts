import type { CodeFingerprint } from '@lineprint/contracts';
import { sha256Hex, type LineKey } from '@lineprint/fingerprint';
import type { CapturedEdit } from './adapters/adapter';
import { captureHunks } from './capture';
import { addedSpans } from './changed-lines';
import { redactSecrets } from './redaction';

/** Where an edit belongs: what the caller found on the disk. */
export interface EditPlace {
  /** Relative to the repository's root, `/` between its parts. */
  readonly path: string;
  /** The repository's name in results. */
  readonly repository?: string;
  readonly projectId?: string;
  readonly userId: string;
}

export interface FingerprintOptions {
  readonly lineKey: LineKey;
  readonly client: { readonly name: string; readonly version: string };
  /** Send the code as well: only where the organisation opted in and the developer allows it. Secrets never go. */
  readonly includeCode?: boolean;
  /** 1 sends the seed's fields only, and gets estimates for it. Default 2. */
  readonly protocol?: 1 | 2;
}

export interface PlacedEdit {
  readonly edit: CapturedEdit;
  readonly place: EditPlace;
}

const MAX_ID = 64;
const MAX_MODEL = 128;

/**
 * What is sent of edits: a fingerprint of each run of lines that an edit added or changed. The same edits give the
 * same code ids, whether a hook or an import saw them.
 */
export function fingerprintsOf(edits: readonly PlacedEdit[], options: FingerprintOptions): CodeFingerprint[] {
  const { lineKey, client, includeCode = false, protocol = 2 } = options;
  const callsSeen = new Map<string, number>();
  return edits.flatMap(({ edit, place }) => {
    const call = `${edit.sessionId}\0${edit.toolCallId}`;
    const inCall = callsSeen.get(call) ?? 0;
    callsSeen.set(call, inCall + 1);
    const { model, parentSessionId } = edit;
    const fingerprints = captureHunks({
      ...place,
      content: redactSecrets(edit.after),
      hunks: addedSpans(edit.before, edit.after),
      source: edit.source,
      sessionId: boundedId(edit.sessionId),
      toolCallIndex: toolCallIndex(edit.toolCallId, inCall),
      timestamp: edit.time,
      lineKey,
      edit: { kind: edit.kind },
      includeCode,
      client: { ...client },
      ...(parentSessionId && { parentSessionId: boundedId(parentSessionId) }),
      ...(model && { model: model.slice(0, MAX_MODEL) }),
      ...((edit.acceptedPartially ?? edit.userModified) && { acceptedPartially: true }),
    });
    return protocol === 1 ? fingerprints.map(asVersion1) : fingerprints;
  });
}

/** The message that a client of the seed's protocol sends: its fields only. */
export function asVersion1(fingerprint: CodeFingerprint): CodeFingerprint {
  const { codeId, sessionId, userId, projectId, orgId, source, rawCode, signature, lshBuckets } = fingerprint;
  const { language, fileExtension, timestamp, lineCount, charCount, structureHash } = fingerprint;
  return {
    codeId,
    sessionId,
    userId,
    ...(projectId !== undefined && { projectId }),
    ...(orgId !== undefined && { orgId }),
    source,
    ...(rawCode !== undefined && { rawCode }),
    signature,
    lshBuckets,
    language,
    fileExtension,
    timestamp,
    lineCount,
    charCount,
    structureHash,
  };
}

/**
 * A number for a call that has a name: 48 bits, 15 digits, which leaves a UUID's session its place in the code id.
 * @param inCall which of the call's edits, where it made several
 */
function toolCallIndex(toolCallId: string, inCall: number): number {
  const name = inCall === 0 ? toolCallId : `${toolCallId}\0${inCall}`;
  return parseInt(sha256Hex(name).slice(0, 12), 16);
}

function boundedId(id: string): string {
  return id.length <= MAX_ID ? id : sha256Hex(id).slice(0, 32);
}
