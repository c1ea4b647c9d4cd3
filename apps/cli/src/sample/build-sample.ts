import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CodeGenStats, Source } from '@lineprint/contracts';
import { createRepository, type NewCommit } from './create-repository';
import {
  answerOf,
  committedLines,
  completeLines,
  editedTexts,
  parseStep,
  ScenarioError,
  textOf,
  type MarkedLine,
  type Step,
} from './scenario';
import type { LineAnswer } from './score-sample';

/** One accepted edit of one file, as an assistant's client sees it. */
export interface SampleEdit {
  /** Index of the commit (oldest first) before which the edit was accepted. */
  readonly beforeCommitIndex: number;
  readonly path: string;
  /** The whole file, before and after. */
  readonly before: string;
  readonly after: string;
  readonly source: Source;
  readonly model: string;
  readonly sessionId: string;
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** Number of the edit in its session, from 0. */
  readonly toolCallIndex: number;
}

/** The right answer for one added line; `line` counts from 0 in the new file. */
export interface LineTruth {
  readonly line: number;
  readonly kind: LineAnswer;
}

/** Right answers by commit and path: of all added lines that are not blank, of files that count. */
export type SampleTruth = ReadonlyMap<string, ReadonlyMap<string, readonly LineTruth[]>>;

export interface Sample {
  readonly repositoryPath: string;
  /** Oldest first. */
  readonly shas: readonly string[];
  readonly edits: readonly SampleEdit[];
  readonly truth: SampleTruth;
  /**
   * Totals of each session, as a client reports them at its end. `fingerprints` are empty: the code ids
   * are known to who captures the edits.
   */
  readonly sessions: readonly CodeGenStats[];
}

// The same place from src/sample and from dist/sample.
const HISTORY = join(__dirname, '../../sample/history');

/**
 * Creates the sample's git repository in `directory` (made if it is missing; must hold no repository yet):
 * the same commits with the same ids on every machine.
 * Throws ScenarioError where the history contradicts itself, `sample-git-failed` where git does.
 */
export async function buildSample(directory: string): Promise<Sample> {
  const story = new Story();
  for (const name of (await readdir(HISTORY)).sort()) {
    story.add(parseStep(name, await readFile(join(HISTORY, name), 'utf8')));
  }
  await mkdir(directory, { recursive: true });
  const shas = await createRepository(directory, story.commits);
  return {
    repositoryPath: directory,
    shas,
    edits: story.edits,
    truth: new Map(story.answers.map((answers, index) => [shas[index]!, answers])),
    sessions: story.sessions(),
  };
}

/** Plays the steps one after another and keeps what the tree looks like. */
class Story {
  readonly commits: NewCommit[] = [];
  readonly edits: SampleEdit[] = [];
  readonly answers: Map<string, LineTruth[]>[] = [];
  private readonly tree = new Map<string, readonly string[]>();
  private readonly editsOfSession = new Map<string, number>();

  add(step: Step): void {
    const files: NewCommit['files'][number][] = [];
    const answers = new Map<string, LineTruth[]>();
    const completed: { path: string; lines: MarkedLine[] }[] = [];
    for (const file of step.files) {
      const parent = this.tree.get(file.oldPath ?? file.path) ?? [];
      if (file.oldPath !== undefined && parent.length === 0) {
        throw new ScenarioError(step.name, `${file.oldPath} does not exist`);
      }
      const lines = completeLines(step.name, file, parent);
      const committed = committedLines(lines);
      const text = committed.map((line) => line.text);
      if (file.oldPath !== undefined) this.tree.delete(file.oldPath);
      this.tree.set(file.path, text);
      files.push({ path: file.path, oldPath: file.oldPath, text: textOf(text) });
      completed.push({ path: file.path, lines });
      if (!file.excluded) answers.set(file.path, answersOf(committed));
    }
    for (const edit of step.edits) {
      for (const { path, lines } of completed) {
        const texts = editedTexts(lines, step.edits, edit);
        if (!texts) continue;
        const toolCallIndex = this.editsOfSession.get(edit.sessionId) ?? 0;
        this.editsOfSession.set(edit.sessionId, toolCallIndex + 1);
        this.edits.push({
          beforeCommitIndex: this.commits.length,
          path,
          ...texts,
          source: edit.source,
          model: edit.model,
          sessionId: edit.sessionId,
          userId: step.author.email,
          timestamp: edit.time,
          toolCallIndex,
        });
      }
    }
    this.commits.push({ author: step.author, time: step.time, message: step.message, files });
    this.answers.push(answers);
  }

  sessions(): CodeGenStats[] {
    const bySession = new Map<string, SampleEdit[]>();
    for (const edit of this.edits) {
      bySession.set(edit.sessionId, [...(bySession.get(edit.sessionId) ?? []), edit]);
    }
    return [...bySession.values()].map(totalsOf);
  }
}

function answersOf(committed: readonly MarkedLine[]): LineTruth[] {
  return committed.flatMap((line, number) => {
    const kind = answerOf(line);
    return kind === undefined || line.text.trim() === '' ? [] : [{ line: number, kind }];
  });
}

/** In the sample every third suggestion is accepted. */
const SUGGESTIONS_FOR_EACH_ACCEPTED = 3;

function totalsOf(edits: readonly SampleEdit[]): CodeGenStats {
  const { sessionId, userId, source } = edits[0]!;
  const lines = (text: string) => text.split('\n').length;
  const grown = edits.map((edit) => lines(edit.after) - lines(edit.before));
  const additions = grown.reduce((sum, count) => sum + Math.max(0, count), 0);
  const deletions = grown.reduce((sum, count) => sum + Math.max(0, -count), 0);
  const timestamp = Math.max(...edits.map((edit) => edit.timestamp));
  const session = { sessionId, userId, timestamp };
  switch (source) {
    case 'tab':
      return {
        ...session,
        tab: {
          suggestionsShown: edits.length * SUGGESTIONS_FOR_EACH_ACCEPTED,
          suggestionsAccepted: edits.length,
          charsAccepted: edits.reduce((sum, edit) => sum + edit.after.length - edit.before.length, 0),
          fingerprints: [],
        },
      };
    case 'chat':
      return { ...session, chat: { edits: edits.length, additions, deletions, fingerprints: [] } };
    case 'agent':
      return { ...session, agent: { tasks: 1, additions, deletions, fingerprints: [] } };
  }
}
