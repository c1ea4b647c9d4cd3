import { encodeOccurrences, encodeTokenBits } from '@lineprint/attribution';
import type { CandidatesEvent, Source } from '@lineprint/contracts';
import {
  analyseText,
  deriveLineKey,
  encodeLinePrints,
  linePrintsToBase64,
  pathKey,
  textSignature,
} from '@lineprint/fingerprint';
import type { SnippetRow } from '@lineprint/persistence';

/** What the tests' organisations hash lines with. */
const key = deriveLineKey(new Uint8Array(32).fill(7), 'lk_test');
/** When every snippet was accepted, milliseconds since 1970. */
export const acceptedAt = Date.UTC(2026, 5, 1);
/** What every snippet holds, and every commit adds. */
const code = [
  'export function berthFee(length: number, nights: number): number {',
  '  const tariff = lookUpTariff(length);',
  '  const discount = nights > WEEK ? tariff.weeklyDiscount : 0;',
  '  return Math.round(nights * tariff.perNight * (1 - discount));',
  '}',
].join('\n');
const { prints, tokenBits } = analyseText(code, 'typescript', key);

/** Of each line of the code that every snippet holds and every commit adds. */
export { prints };

/** A snippet of `code`. */
export function storedSnippet(orgId: string, codeId: string, source: Source = 'agent'): SnippetRow {
  return {
    orgId,
    codeId,
    sessionId: 's',
    userId: `${orgId}@example.org`,
    projectId: `${orgId}/shop`,
    source,
    signature: new Uint8Array(textSignature(code).buffer),
    lshBuckets: new Uint8Array(64),
    language: 'typescript',
    fileExtension: 'ts',
    lineCount: 5,
    charCount: code.length,
    structureHash: '0123456789abcdef',
    rawCodeEncrypted: null,
    protocol: 2,
    repository: null,
    model: null,
    client: null,
    editKind: null,
    acceptedPartially: null,
    declaredBy: null,
    astSignature: null,
    partition: 0,
    offset: 0,
    createdAt: new Date(acceptedAt),
    keyId: key.keyId,
    linePrints: encodeLinePrints(prints),
    pathKey: pathKey('fee.ts', key),
    before: null,
    after: null,
  };
}

export interface AddedCode {
  readonly tenant?: string;
  readonly repository?: string;
  readonly parents?: readonly string[];
  /** When it was committed, milliseconds since 1970. */
  readonly at?: number;
  /** How many lines of `code` it adds, all by default. */
  readonly lines?: number;
}

/** A commit that adds `code` and has the given snippets as candidates. */
export function commitOf(sha: string, codeIds: readonly string[], commit: AddedCode = {}): CandidatesEvent {
  const { tenant = 'acme', repository = 'shop', parents = [], at = acceptedAt + 1000 } = commit;
  const added = prints.slice(0, commit.lines);
  return {
    commit: {
      tenant,
      projectId: `${tenant}/shop`,
      repository,
      sha,
      parents: [...parents],
      authorName: 'Ada',
      authorEmail: 'ada@example.org',
      userId: 'ada@example.org',
      authoredAt: at,
      committedAt: at,
      late: false,
    },
    repositoryLines: 0,
    files: [
      {
        path: 'fee.ts',
        status: 'added',
        language: 'typescript',
        addedLines: added.length,
        deletedLines: 0,
        blankLines: 0,
        inherited: [],
        linePrints: linePrintsToBase64(added),
        tokenBits: encodeTokenBits(tokenBits.slice(0, commit.lines)),
        occurrences: encodeOccurrences(added.flatMap(() => [0, 0])),
        pathKeys: [pathKey('fee.ts', key)],
        hunks: [{ first: 0, last: added.length - 1 }],
      },
    ],
    candidates: codeIds.map((codeId) => ({ codeId, file: 0, score: 20 })),
  };
}
