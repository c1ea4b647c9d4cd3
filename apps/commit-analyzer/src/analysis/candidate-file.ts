import { encodeContextLines, encodeTokenBits } from '@lineprint/attribution';
import {
  areFollowable,
  type CandidateFile,
  type CommitEvent,
  type CommitFile,
  lineEdits,
} from '@lineprint/contracts';
import type { AstFile } from '@lineprint/syntax';
import type { FileSurroundings } from '../frequency/commit-frequency';
import type { AnalysedFile } from './file-analysis';

/**
 * What the `candidates` event says of a file.
 *
 * @param isSearched whether the file has candidates: its context helps to place them
 */
export function toCandidateFile(
  { candidateFile, context }: AnalysedFile,
  { contextOccurrences, ...around }: FileSurroundings,
  isSearched: boolean,
  ast?: AstFile,
): CandidateFile {
  return {
    ...candidateFile,
    ...around,
    ...(isSearched && context.lines.length > 0
      ? {
          context: {
            lines: encodeContextLines(context.lines),
            tokenBits: encodeTokenBits(context.tokenBits),
            occurrences: contextOccurrences,
          },
        }
      : {}),
    ...syntaxFallback(ast),
  };
}

function syntaxFallback(ast: AstFile | undefined): Pick<CandidateFile, 'syntaxFallback'> {
  if (!ast || ast.status === 'parsed' || ast.status === 'unsupported') return {};
  return { syntaxFallback: ast.status };
}

/** How the lines of each file that counts follow from the parent's; a merge says it of its own, by parent. */
export function followedLines(
  { parents }: Pick<CommitEvent, 'parents'>,
  { hunks }: Pick<CommitFile, 'hunks'>,
  { status, excluded, addedLines }: Pick<CandidateFile, 'status' | 'excluded' | 'addedLines'>,
): Pick<CandidateFile, 'edits'> {
  if (parents.length > 1 || status === 'deleted' || excluded !== undefined) return {};
  // Of what was no file before, git removes all and adds all; none of its lines follows from one.
  const edits = status === 'typechange' ? [0, 0, 0, addedLines] : lineEdits(hunks);
  return areFollowable(edits) ? { edits } : {};
}
