import { applyChange, type TextChange } from '@lineprint/capture';

/** One step of a document, as the editor tells of it: changes in the order in which they are to be applied. */
export interface DocumentEdit {
  readonly changes: readonly TextChange[];
  /** When it was told of, in milliseconds since 1970. */
  readonly time: number;
  /** The editor's undo or redo. */
  readonly isUndo: boolean;
}

/** A document before and after what a command did to it. */
export interface DocumentStep {
  readonly before: string;
  readonly after: string;
  readonly changes: readonly TextChange[];
}

/** Edits that are kept apart from the text before them: as many as one command may make, and some of typing. */
const MAX_RECENT = 16;
/** Edits of one command follow each other at once. */
const GATHER_MS = 50;
/** A command is told of right after its edits; an edit that is older is somebody else's. */
const FRESH_MS = 1000;

/**
 * A document's text and its last edits. The editor tells what is put where, and how much goes, but not what went: to know
 * a document before an edit, its text has to be followed.
 */
export class DocumentHistory {
  private recent: DocumentEdit[] = [];

  /** @param start the text before `recent` */
  constructor(private start: string) {}

  get text(): string {
    return this.recent.reduce(textAfter, this.start);
  }

  add(edit: DocumentEdit): void {
    this.recent.push(edit);
    if (this.recent.length <= MAX_RECENT) return;
    this.start = this.recent.splice(0, MAX_RECENT / 2).reduce(textAfter, this.start);
  }

  /**
   * Takes what the command did that ended just now: the last edit, with those that came with it. A completion with tab stops
   * removes and then inserts, another one adds an import behind itself. What a person typed a moment before is not
   * its.
   */
  takeStep(now: number): DocumentStep | undefined {
    const last = this.recent.at(-1);
    if (!last || last.isUndo || now - last.time > FRESH_MS) return undefined;
    let first = this.recent.length - 1;
    while (first > 0 && belongs(this.recent[first - 1]!, last)) first--;
    const before = this.recent.slice(0, first).reduce(textAfter, this.start);
    const changes: TextChange[] = [];
    let after = before;
    for (const change of this.recent.slice(first).flatMap((edit) => edit.changes)) {
      changes.push(trimmed(change, after));
      after = applyChange(after, change);
    }
    this.start = after;
    this.recent = [];
    return { before, after, changes };
  }
}

function textAfter(text: string, { changes }: DocumentEdit): string {
  return changes.reduce(applyChange, text);
}

/** The change without what it puts where the same stood: a completion often replaces the line that it ends. */
function trimmed({ offset, removed, text }: TextChange, before: string): TextChange {
  const shorter = Math.min(removed, text.length);
  let head = 0;
  while (head < shorter && before[offset + head] === text[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[offset + removed - 1 - tail] === text[text.length - 1 - tail])
    tail++;
  return {
    offset: offset + head,
    removed: removed - head - tail,
    text: text.slice(head, text.length - tail),
  };
}

function belongs(edit: DocumentEdit, last: DocumentEdit): boolean {
  return !edit.isUndo && last.time - edit.time <= GATHER_MS && !edit.changes.every(isTyping);
}

/** One character, or a line break with the indentation that the editor adds to it. */
function isTyping({ removed, text }: TextChange): boolean {
  return removed === 0 && (text.length === 1 || /^\r?\n[ \t]*$/.test(text));
}
