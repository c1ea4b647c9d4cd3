import type { BackgroundFile, DataSet, LabelledCommit, LabelledSnippet } from '../data';
import {
  addComments,
  deleteComments,
  deletePart,
  type Edit,
  type EditedLine,
  insertHuman,
  inTurn,
  type Material,
  reformat,
  rename,
  reorder,
  rewrite,
  unedited,
} from './edits';
import { SeededRandom } from './random';
import { sourceFiles, type SourceFile } from './sources';
import { type Unit, unitsOf } from './units';

/** What people do to AI code before they commit it. */
const EDITS: Readonly<Record<string, Edit>> = {
  none: unedited,
  rename_some: rename(0.3),
  rename_all: rename(1),
  reformat,
  comments_add: addComments,
  comments_del: deleteComments,
  reorder,
  insert_human: insertHuman,
  delete_part: deletePart,
  rewrite10: rewrite(0.1),
  rewrite30: rewrite(0.3),
  rewrite50: rewrite(0.5),
  rewrite70: rewrite(0.7),
  combo: inTurn(rename(0.3), addComments, deletePart, rewrite(0.1)),
  containment: unedited,
  split: unedited,
  merged: unedited,
};
/** The lines that an assistant gives at once. */
const SIZES = { tab: [1, 3], chat: [5, 40], agent: [41, 160] } as const;
type Size = keyof typeof SIZES;

/** Records of each edit and size in each language, where there are snippets enough. */
const RECORDS_EACH = 6;
/** Human-only commits of each kind in each language. */
const HUMAN_EACH = 40;
/** Clients name the lines around an edit; what is imported from elsewhere may not. */
const WITH_NEIGHBOURS = 0.95;
/** Every so-many-th file is in the repository before any of the commits. */
const BACKGROUND_FILES = 4;
/** A human unit with more of its longer lines in AI's units than this is a copy, of which nobody knows the truth. */
const LARGEST_COPY = 0.35;
/** Snippets that are tried for an edit. */
const ATTEMPTS = 3;
const LONGER_LINE = 12;

/**
 * Labelled commits from the packages that are installed: real functions, half of them AI's by decree, edited in known
 * ways, between functions that are not. The same seed and the same packages give the same set.
 */
export function selfMadeSet(seed: number): DataSet {
  return editedSet(sourceFiles(), seed);
}

/** The same from any files in languages with braces. */
export function editedSet(files: readonly SourceFile[], seed: number): DataSet {
  const random = new SeededRandom(seed);
  const sets = [...new Set(files.map(({ language }) => language))].map((language) => {
    const own = files.filter((file) => file.language === language);
    return new LanguageSet(language, own, random).make();
  });
  return {
    records: sets.flatMap(({ records }) => records),
    snippets: sets.flatMap(({ snippets }) => snippets),
    background: sets.flatMap(({ background }) => background),
  };
}

const longerLines = (lines: readonly string[]): string[] =>
  lines.map((line) => line.trim()).filter((line) => line.length >= LONGER_LINE);

class LanguageSet {
  private readonly background: BackgroundFile[] = [];
  private readonly aiUnits: Unit[] = [];
  private readonly humanUnits: Unit[] = [];
  private readonly otherUnits: Unit[] = [];
  private readonly records: LabelledCommit[] = [];
  private readonly snippets: LabelledSnippet[] = [];

  constructor(
    private readonly language: string,
    files: readonly SourceFile[],
    private readonly random: SeededRandom,
  ) {
    const units: Unit[] = [];
    files.forEach((file, i) => {
      if (!file.heldOut && i % BACKGROUND_FILES === 0) {
        this.background.push({ language, path: pathOf(file), text: file.text });
      } else units.push(...unitsOf(file));
    });
    const distinct = new Map(units.map((unit) => [unit.lines.join('\n'), unit]));
    for (const unit of random.shuffle([...distinct.values()])) {
      if (unit.file.heldOut) this.otherUnits.push(unit);
      else (random.share() < 0.5 ? this.aiUnits : this.humanUnits).push(unit);
    }
    this.leaveOutCopies();
  }

  make(): { records: LabelledCommit[]; snippets: LabelledSnippet[]; background: BackgroundFile[] } {
    // Whatever the language has units for, every edit and size gets its share.
    for (let i = 0; i < RECORDS_EACH; i++) {
      for (const [transform, edit] of Object.entries(EDITS)) {
        for (const size of Object.keys(SIZES) as Size[]) this.addCommit(size, transform, edit);
      }
    }
    this.addHumanCommits('neg_same_package', this.humanUnits);
    this.addHumanCommits('neg_other_package', this.otherUnits);
    return { records: this.records, snippets: this.snippets, background: this.background };
  }

  private leaveOutCopies(): void {
    const ai = new Set(this.aiUnits.flatMap(({ lines }) => longerLines(lines)));
    for (const units of [this.humanUnits, this.otherUnits]) {
      const originals = units.filter(({ lines }) => {
        const longer = longerLines(lines);
        return longer.filter((line) => ai.has(line)).length <= LARGEST_COPY * longer.length;
      });
      units.splice(0, units.length, ...originals);
    }
  }

  /** A snippet of AI's, edited, between functions that people wrote, some of which the file had before. */
  private addCommit(size: Size, transform: string, edit: Edit): void {
    // Nobody pastes a hundred lines into a function.
    const isTooLong = transform === 'containment' && size === 'agent';
    const taken = this.takeEdited(isTooLong ? 'chat' : size, edit);
    if (!taken) return;
    const { source, edited } = taken;
    const { random } = this;
    const path = pathOf(source.file);
    const [above, below] = this.surroundings(transform === 'containment');
    const inPlace = random.share() < 0.7;
    const base = this.addSnippet(source, inPlace ? path : `src/${path}`, above, below);
    const record = { ...this.describe(size, transform, path), base };

    if (transform === 'split') {
      const middle = Math.ceil(edited.length / 2);
      const first = toFile([above, asAdded(edited.slice(0, middle))]);
      const second = toFile([asAdded(edited.slice(middle)), below]);
      this.records.push({
        ...record,
        ...first,
        final_file2: second.final_file,
        truth2: second.truth,
        added2: second.added,
      });
      return;
    }
    const other = transform === 'merged' ? this.takeSnippet(size) : undefined;
    if (transform === 'merged' && !other) return;
    const parts = [above, asAdded(edited)];
    if (other) parts.push(asAdded(other.lines.map((text) => ({ text, truth: 'P' as const }))));
    this.records.push({
      ...record,
      ...(other ? { base2: this.addSnippet(other, path, [], []) } : {}),
      ...toFile([...parts, below]),
    });
  }

  private addHumanCommits(transform: string, units: readonly Unit[]): void {
    for (const unit of this.random.shuffle(units).slice(0, HUMAN_EACH)) {
      const lines = unit.lines.map((text): EditedLine => ({ text, truth: 'H' }));
      this.records.push({
        ...this.describe('neg', transform, pathOf(unit.file)),
        base: null,
        ...toFile([asAdded(lines)]),
      });
    }
  }

  private describe(size: string, transform: string, path: string) {
    const { language } = this;
    return { id: `${language}-${transform}-${size}-${this.records.length}`, language, size, transform, path };
  }

  /** Functions above and below, or for a snippet inside a function its two halves. */
  private surroundings(inside: boolean): [FileLine[], FileLine[]] {
    const { random, humanUnits } = this;
    if (inside) {
      const long = humanUnits.filter(({ lines }) => lines.length >= 20);
      const { lines } = random.pick(long.length > 0 ? long : humanUnits);
      const middle = random.between(Math.floor(lines.length / 3), Math.floor((2 * lines.length) / 3));
      return [human(lines.slice(0, middle), true), human(lines.slice(middle), true)];
    }
    const unit = () => [...human(random.pick(humanUnits).lines, random.share() < 0.5), EMPTY_LINE];
    return [unit(), [EMPTY_LINE, ...unit()]];
  }

  /** The next snippet to which the edit applies; some have no comment to delete, or no second part to move. */
  private takeEdited(size: Size, edit: Edit): { source: Unit; edited: EditedLine[] } | undefined {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const source = this.takeSnippet(size);
      if (!source) return undefined;
      const edited = edit(
        source.lines.map((text) => ({ text, truth: 'P' })),
        this.material(),
      );
      if (edited) return { source, edited };
    }
    return undefined;
  }

  /** A snippet of that size from the next units that nothing has been taken of. */
  private takeSnippet(size: Size): Unit | undefined {
    const [least, most] = SIZES[size];
    if (size === 'agent') return this.takeSeveral(least, most);
    if (size === 'chat') return this.takeUnit(({ lines }) => lines.length >= least && lines.length <= most);
    const length = this.random.between(least, most);
    const at = (lines: readonly string[]) =>
      lines.findIndex((_, i) => longerLines(lines.slice(i, i + length)).length === length);
    const unit = this.takeUnit(({ lines }) => at(lines) >= 0);
    if (!unit) return undefined;
    const first = at(unit.lines);
    return { ...unit, first: unit.first + first, lines: unit.lines.slice(first, first + length) };
  }

  private takeUnit(fits: (unit: Unit) => boolean): Unit | undefined {
    const index = this.aiUnits.findIndex(fits);
    return index < 0 ? undefined : this.aiUnits.splice(index, 1)[0];
  }

  /** An agent writes several functions at once. */
  private takeSeveral(least: number, most: number): Unit | undefined {
    const units: Unit[] = [];
    let length = 0;
    while (length < least) {
      const unit = this.takeUnit(({ lines }) => length + 1 + lines.length <= most);
      if (!unit) return undefined;
      units.push(unit);
      length += 1 + unit.lines.length;
    }
    return { ...units[0]!, lines: units.flatMap(({ lines }, i) => (i > 0 ? ['', ...lines] : lines)) };
  }

  private addSnippet(
    source: Unit,
    path: string,
    above: readonly FileLine[],
    below: readonly FileLine[],
  ): string {
    const id = `${this.language}-s${this.snippets.length}`;
    const withContext = this.random.share() < WITH_NEIGHBOURS;
    const before = above.findLast(({ text }) => text.trim() !== '')?.text;
    const after = below.find(({ text }) => text.trim() !== '')?.text;
    this.snippets.push({
      id,
      language: this.language,
      path,
      snippet: source.lines.join('\n'),
      ...(withContext && before !== undefined && after !== undefined ? { before, after } : {}),
    });
    return id;
  }

  private material(): Material {
    const { random, humanUnits } = this;
    return {
      random,
      humanLines(count) {
        const { lines } = random.pick(humanUnits);
        const first = random.between(0, Math.max(0, lines.length - count));
        return lines.slice(first, first + count);
      },
    };
  }
}

interface FileLine extends EditedLine {
  readonly added: boolean;
}

const EMPTY_LINE: FileLine = { text: '', truth: 'H', added: false };

const asAdded = (lines: readonly EditedLine[]): FileLine[] => lines.map((line) => ({ ...line, added: true }));

const human = (lines: readonly string[], added: boolean): FileLine[] =>
  lines.map((text) => ({ text, truth: 'H', added }));

/** One path a package, so that a repository has them all. */
function pathOf({ package: name, path }: SourceFile): string {
  return `packages/${name.replace('@', '').replace('/', '-')}/${path}`;
}

function toFile(
  parts: readonly (readonly FileLine[])[],
): Pick<LabelledCommit, 'final_file' | 'truth' | 'added'> {
  const lines = parts.flat();
  return {
    final_file: lines.map(({ text }) => text).join('\n'),
    truth: lines.map(({ truth }) => truth).join(''),
    added: lines.map(({ added }) => (added ? '1' : '0')).join(''),
  };
}
