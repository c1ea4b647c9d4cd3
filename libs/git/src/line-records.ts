import {
  agentTraceClaims,
  declaredRanges,
  GIT_AI_REF,
  gitAiClaims,
  type LineClaims,
} from '@lineprint/capture';
import type { DeclaredRange } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import { BlobReader } from './blob-reader';
import { gitOutput, startGit } from './git-process';
import type { Repository } from './repository';

/** What records say of one commit's files, by path: ascending ranges, no line twice. */
export type FileRecords = ReadonlyMap<string, readonly DeclaredRange[]>;

/** A note of a commit with a hundred thousand files has some megabytes. */
const MAX_NOTE_BYTES = 16 * 1024 * 1024;

/** What records beside a repository's commits say of single lines: git-ai's notes, and Agent Trace. */
export class LineRecords {
  private constructor(
    private readonly notes: ReadonlyMap<string, string>,
    private readonly blobs: BlobReader,
    private readonly traces: ReadonlyMap<string, LineClaims>,
  ) {}

  /**
   * @param traces Agent Trace records, one a line
   * @throws LineprintError `notes-unreadable`
   */
  static async open(repository: Repository, traces = ''): Promise<LineRecords> {
    const notes = await listNotes(repository);
    return new LineRecords(notes, new BlobReader(repository), agentTraceClaims(traces));
  }

  /** Ids of the commits that have a record. */
  commits(): ReadonlySet<string> {
    return new Set([...this.notes.keys(), ...this.traces.keys()]);
  }

  /** What is said of a commit's lines; of a file that both name the note is believed. */
  async of(sha: string): Promise<FileRecords | undefined> {
    const note = this.notes.get(sha);
    const trace: LineClaims = this.traces.get(sha) ?? new Map();
    const blob = note === undefined ? undefined : await this.blobs.read(note, MAX_NOTE_BYTES);
    const noted: LineClaims = blob?.kind === 'content' ? gitAiClaims(blob.bytes.toString('utf8')) : new Map();
    if (noted.size === 0 && trace.size === 0) return undefined;
    const claims = new Map([...trace, ...noted]);
    return new Map([...claims].map(([path, lines]) => [path, declaredRanges(lines)]));
  }

  close(): void {
    this.blobs.close();
  }
}

/** Blobs of git-ai's notes, by the commit they belong to. */
async function listNotes(repository: Repository): Promise<Map<string, string>> {
  const known = await gitOutput(startGit(repository, ['rev-parse', '--verify', '--quiet', GIT_AI_REF]));
  if (!known.end.ok) return new Map();
  const { end, stdout } = await gitOutput(startGit(repository, ['ls-tree', '-r', GIT_AI_REF]));
  if (!end.ok) throw new LineprintError('notes-unreadable', `git cannot list ${GIT_AI_REF}: ${end.message}`);
  const lines = stdout.toString('latin1').split('\n');
  return new Map(
    lines.flatMap((line) => {
      // Git spreads many notes over folders: `ab/cdef…`.
      const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t([0-9a-f/]+)$/.exec(line) ?? [];
      return blob === undefined || path === undefined ? [] : [[path.replaceAll('/', ''), blob] as const];
    }),
  );
}
