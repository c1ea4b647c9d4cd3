import { LineprintError } from '@lineprint/platform';
import type { StoredJudgedCommit } from '@lineprint/persistence';
import type { JudgedCommit } from './judged-commit';

/** Index into the code ids, line of the snippet, hash of the commit's line: uint32 little-endian words. */
const USE_WORDS = 3;
const WORD_BYTES = 4;

export function packJudgedCommit({
  removed,
  added,
  addedNumbers,
  copied,
  uses,
  ...commit
}: JudgedCommit): StoredJudgedCommit {
  const codeIds = [...new Set(uses.map(({ codeId }) => codeId))];
  const indexOf = new Map(codeIds.map((codeId, index) => [codeId, index]));
  const words = uses.flatMap(({ codeId, snippetLine, hash }) => [indexOf.get(codeId)!, snippetLine, hash]);
  return {
    ...commit,
    removedLines: packWords(removed),
    addedLines: packWords(added),
    addedNumbers: packWords(addedNumbers),
    copiedLines: packWords(copied),
    codeIds,
    uses: packWords(words),
  };
}

/** @throws LineprintError `judged-commit-malformed` where a use names a snippet that is not there */
export function unpackJudgedCommit({
  removedLines,
  addedLines,
  addedNumbers,
  copiedLines,
  codeIds,
  uses,
  ...commit
}: StoredJudgedCommit): JudgedCommit {
  const words = unpackWords(uses);
  return {
    ...commit,
    removed: unpackWords(removedLines),
    added: unpackWords(addedLines),
    addedNumbers: unpackWords(addedNumbers),
    copied: unpackWords(copiedLines),
    uses: Array.from({ length: words.length / USE_WORDS }, (_, i) => {
      const [index, snippetLine, hash] = words.subarray(i * USE_WORDS, (i + 1) * USE_WORDS);
      const codeId = codeIds[index!];
      if (codeId === undefined) {
        throw new LineprintError('judged-commit-malformed', `${commit.sha} uses a snippet without an id`);
      }
      return { codeId, snippetLine: snippetLine!, hash: hash! };
    }),
  };
}

function packWords(words: ArrayLike<number>): Uint8Array {
  const bytes = Buffer.alloc(words.length * WORD_BYTES);
  for (let i = 0; i < words.length; i++) bytes.writeUInt32LE(words[i]!, i * WORD_BYTES);
  return bytes;
}

function unpackWords(packed: Uint8Array): Uint32Array {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return Uint32Array.from({ length: bytes.length / WORD_BYTES }, (_, i) =>
    bytes.readUInt32LE(i * WORD_BYTES),
  );
}
