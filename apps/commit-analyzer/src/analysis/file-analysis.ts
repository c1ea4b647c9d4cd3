import { type ContextLine, encodeTokenBits, LEFT_OUT } from '@lineprint/attribution';
import {
  type CandidateFile,
  type CommitFile,
  fileInconsistency,
  type InheritedRange,
} from '@lineprint/contracts';
import {
  type AnalysedText,
  analyseText,
  fineTextBands,
  hasShingles,
  hex64,
  languageOf,
  type LineKey,
  type LinePrint,
  linePrintsToBase64,
  pathKey,
  type RecallKey,
  recallKeys,
  textBands,
  textSignatureWith,
} from '@lineprint/fingerprint';
import { LineprintError } from '@lineprint/platform';
import type { Analyse } from './analysed-texts';

export interface LineSpan {
  /** Line numbers in the new file, from 0, both inclusive. */
  readonly first: number;
  readonly last: number;
}

export interface Context {
  readonly lines: readonly ContextLine[];
  /** Bits of each one's tokens. */
  readonly tokenBits: readonly number[];
}

export interface AnalysedFile {
  /** What later services get: no text. How often its lines occur elsewhere is counted for the whole commit. */
  readonly candidateFile: Omit<CandidateFile, 'occurrences' | 'context'>;
  /** Prints of the attributable lines. */
  readonly prints: readonly LinePrint[];
  /** Lines around those in the new file. */
  readonly context: Context;
  /** Recall keys of the added lines and their weights. */
  readonly keys: Map<number, number>;
  /** Text signatures of each of `candidateFile.hunks`: by the seed's rule, then its other way of shingling. */
  readonly hunkSignatures: readonly (readonly Uint32Array[])[];
  /** The added lines of each hunk, for the syntax-tree lane. */
  readonly spans: readonly LineSpan[];
  readonly attributable: number;
}

/**
 * The seed shingles texts below 200 UTF-16 units by characters and longer ones by words; a text that crosses
 * that length between acceptance and commit shares no shingle with itself. Hunks this near to the limit are
 * signed both ways.
 */
const BOTH_WAYS = { from: 100, to: 400 };
const SEED_LIMIT = 200;

/** Non-blank lines around an attributable one that show where it stands. */
const CONTEXT_REACH = 30;
const NO_CONTEXT: Context = { lines: [], tokenBits: [] };

/**
 * Reads one changed file of a commit: its added lines as prints, keys and signatures. What does not count is
 * the pusher's decision alone: it knows the repository's `.gitattributes`, a path by itself says less.
 * @param inherited lines that nobody wrote in this commit; they divide a hunk and are only its neighbours
 * @param whole prints of the new file, where it carries its content
 * @throws LineprintError `commit-inconsistent` when counts, hunks and content contradict each other
 */
export function analyseFile(
  file: CommitFile,
  key: LineKey,
  inherited: readonly InheritedRange[] = [],
  whole: AnalysedText | undefined = analyseContent(file, (text, language) =>
    analyseText(text, language, key),
  ),
): AnalysedFile {
  const language = languageOf(file.path);
  const excluded = exclusionOf(file);
  const paths = file.oldPath && file.oldPath !== file.path ? [file.path, file.oldPath] : [file.path];
  const header = {
    path: file.path,
    ...(file.oldPath ? { oldPath: file.oldPath } : {}),
    status: file.status,
    language,
    addedLines: file.addedLines,
    deletedLines: file.deletedLines,
    pathKeys: paths.map((path) => pathKey(path, key)),
  };
  if (excluded || file.status === 'deleted') {
    return {
      candidateFile: {
        ...header,
        blankLines: 0,
        inherited: [],
        ...(excluded ? { excluded } : {}),
        linePrints: linePrintsToBase64([]),
        tokenBits: '',
        hunks: [],
      },
      prints: [],
      context: NO_CONTEXT,
      keys: new Map(),
      hunkSignatures: [],
      spans: [],
      attributable: 0,
    };
  }

  const inconsistency = fileInconsistency(file);
  if (inconsistency !== undefined) throw new LineprintError('commit-inconsistent', inconsistency);

  // Clients sign what stands between the line ends, whichever those are.
  const lines = file.content === undefined ? undefined : file.content.split(/\r?\n/);
  const prints: LinePrint[] = [];
  const tokenBits: number[] = [];
  const hunks: CandidateFile['hunks'] = [];
  const spans: LineSpan[] = [];
  const hunkSignatures: Uint32Array[][] = [];
  const keys = new Map<number, number>();
  const isInherited = new Set(inherited.flatMap(linesOf));
  let cursor = 0;

  const readStretch = ({ start, end }: Stretch, text: string) => {
    const first = prints.length;
    let neighbours: { before?: string; after?: string } = {};
    if (whole) {
      while (cursor < whole.prints.length && whole.prints[cursor]!.line < start) cursor++;
      let next = cursor;
      while (next < whole.prints.length && whole.prints[next]!.line < end) {
        prints.push(whole.prints[next]!);
        tokenBits.push(whole.tokenBits[next]!);
        addContextKeys(keys, header.pathKeys, whole.prints[next - 1], whole.prints[next + 1]);
        next++;
      }
      neighbours = {
        ...(cursor > 0 ? { before: hex64(whole.prints[cursor - 1]!.h1) } : {}),
        ...(next < whole.prints.length ? { after: hex64(whole.prints[next]!.h1) } : {}),
      };
      cursor = next;
    } else {
      const part = analyseText(text, language, key);
      part.prints.forEach((print, i) => {
        prints.push({ ...print, line: print.line + start });
        tokenBits.push(part.tokenBits[i]!);
      });
    }
    if (prints.length === first) return;
    hunks.push({ first, last: prints.length - 1, ...neighbours });
    spans.push({ first: start, last: end - 1 });
    const signatures = signText(text);
    hunkSignatures.push(signatures);
    addKeys(keys, recallKeys({ prints: prints.slice(first) }));
    for (const signature of signatures) {
      const bands = { textBands: textBands(signature), fineTextBands: fineTextBands(signature) };
      addKeys(keys, recallKeys({ prints: [], ...bands }));
    }
  };

  for (const hunk of file.hunks) {
    if (hunk.newLines === 0) continue;
    const start = hunk.newStart - 1;
    const end = start + hunk.newLines;
    const text = lines ? lines.slice(start, end) : hunk.added!;
    for (const stretch of stretchesOf(start, end, isInherited)) {
      readStretch(stretch, text.slice(stretch.start - start, stretch.end - start).join('\n'));
    }
  }
  return {
    candidateFile: {
      ...header,
      blankLines: file.addedLines - isInherited.size - prints.length,
      ...(file.declaredLines ? { declaredLines: file.declaredLines } : {}),
      inherited: [...inherited],
      linePrints: linePrintsToBase64(prints),
      tokenBits: encodeTokenBits(tokenBits),
      hunks,
    },
    prints,
    context: whole ? contextOf(whole, new Set(prints.map(({ line }) => line))) : NO_CONTEXT,
    keys,
    hunkSignatures,
    spans,
    attributable: prints.length,
  };
}

/** Prints of the whole new file, as `analyse` reads it, if it counts and the commit carries it. */
export function analyseContent(file: CommitFile, analyse: Analyse): AnalysedText | undefined {
  if (file.content === undefined || exclusionOf(file) !== undefined) return undefined;
  return analyse(file.content, languageOf(file.path));
}

/** The lines of a file near its attributable ones, and a mark in each place where others are left out. */
function contextOf({ prints, tokenBits }: AnalysedText, attributable: ReadonlySet<number>): Context {
  const near = new Uint8Array(prints.length);
  for (let x = 0, last = -Infinity; x < prints.length; x++) {
    if (attributable.has(prints[x]!.line)) last = x;
    if (x - last <= CONTEXT_REACH) near[x] = 1;
  }
  for (let x = prints.length - 1, last = Infinity; x >= 0; x--) {
    if (attributable.has(prints[x]!.line)) last = x;
    if (last - x <= CONTEXT_REACH) near[x] = 1;
  }
  const context = { lines: [] as ContextLine[], tokenBits: [] as number[] };
  prints.forEach(({ line, h1 }, x) => {
    if (attributable.has(line)) return;
    const isMark = near[x] === 0 && near[x - 1] === 1;
    if (near[x] === 0 && !isMark) return;
    context.lines.push({ line, h1: isMark ? LEFT_OUT : h1 });
    context.tokenBits.push(isMark ? 0 : tokenBits[x]!);
  });
  return context;
}

/** Why a file does not count, if so. */
function exclusionOf({ excluded, binary }: CommitFile): string | undefined {
  return excluded ?? (binary ? 'binary' : undefined);
}

/** Lines of the new file, from 0: `start` and all before `end`. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** What inherited lines leave of a hunk. */
function stretchesOf(start: number, end: number, isInherited: ReadonlySet<number>): Stretch[] {
  const stretches: Stretch[] = [];
  for (let line = start, from = start; line <= end; line++) {
    if (line < end && !isInherited.has(line)) continue;
    if (from < line) stretches.push({ start: from, end: line });
    from = line + 1;
  }
  return stretches;
}

function linesOf({ start, count }: InheritedRange): number[] {
  return Array.from({ length: count }, (_, i) => start + i);
}

function signText(text: string): Uint32Array[] {
  const mode = text.length < SEED_LIMIT ? 'char' : 'word';
  const signatures = [textSignatureWith(text, mode)];
  if (text.length >= BOTH_WAYS.from && text.length < BOTH_WAYS.to) {
    signatures.push(textSignatureWith(text, mode === 'char' ? 'word' : 'char'));
  }
  return signatures.filter(hasShingles);
}

function addKeys(keys: Map<number, number>, more: readonly RecallKey[]): void {
  for (const { key, weight } of more) keys.set(key, Math.max(weight, keys.get(key) ?? 0));
}

/** A snippet may begin or end at any added line, so each line's neighbours are asked for. */
function addContextKeys(
  keys: Map<number, number>,
  pathKeys: readonly string[],
  before: LinePrint | undefined,
  after: LinePrint | undefined,
): void {
  for (const path of pathKeys) {
    addKeys(
      keys,
      recallKeys({
        prints: [],
        pathKey: path,
        ...(before ? { before: hex64(before.h1) } : {}),
        ...(after ? { after: hex64(after.h1) } : {}),
      }),
    );
  }
}
