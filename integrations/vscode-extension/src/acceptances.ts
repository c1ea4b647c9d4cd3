import {
  shiftOffset,
  SURVIVAL_CHECK_SECONDS,
  survivalOf,
  survivalWindow,
  type Survival,
  type SurvivalTotals,
  type TextChange,
} from '@lineprint/capture';
import { DocumentHistory, type DocumentEdit } from './document-history';

/** A completion that was accepted, whole or in parts. */
export interface Acceptance {
  /** Of the document's file. */
  readonly path: string;
  /** Texts of the whole document, from before its first part to after its last. */
  readonly before: string;
  readonly after: string;
  readonly kind: 'insert' | 'replace';
  /** Only the next words or lines of it were taken. */
  readonly partially: boolean;
  /** Of what was put into the document. */
  readonly characters: number;
}

/** What the editor's documents tell; the rest is a value, so that no editor is needed to test it. */
export interface EditorDocument {
  /** Names the document, as long as it is open. */
  readonly id: string;
  /** The file that it is, or is a cell of. */
  readonly path: string;
  getText(): string;
}

export interface Clock {
  now(): number;
  /** @returns what calls it off */
  later(ms: number, action: () => void): () => void;
}

export interface AcceptanceEvents {
  accepted(acceptance: Acceptance): void;
  checked(path: string, afterSeconds: SurvivalTotals['afterSeconds'], survival: Survival): void;
  /** Something was not captured, and why. */
  skipped(why: string): void;
}

/** As large as a file is whose content commits carry, in UTF-16 units. */
export const MAX_DOCUMENT = 1024 * 1024;
/** Who takes a completion word by word goes on within this time. */
const PARTS_MS = 2000;

/**
 * Finds out what was accepted by comparing the document before and after the command that accepts, whose completion it
 * ever was, and looks later whether it still stands.
 */
export class Acceptances {
  private readonly documents = new Map<string, FollowedDocument>();

  constructor(
    private readonly clock: Clock,
    private readonly events: AcceptanceEvents,
  ) {}

  /** Follows a document from its present text on; one that is followed already, too. */
  open(document: EditorDocument): void {
    if (this.documents.has(document.id)) return;
    const text = document.getText();
    if (text.length > MAX_DOCUMENT) return;
    this.documents.set(document.id, {
      document,
      history: new DocumentHistory(text),
      places: new Set(),
      parts: undefined,
    });
  }

  edited(id: string, edit: Pick<DocumentEdit, 'changes' | 'isUndo'>): void {
    const followed = this.documents.get(id);
    if (!followed || edit.changes.length === 0) return;
    followed.history.add({ ...edit, time: this.clock.now() });
    for (const place of followed.places) {
      place.offset = edit.changes.reduce(shiftOffset, place.offset);
    }
  }

  /** The command that accepts has run in a document. @param partially it takes a word or a line */
  accepted(id: string, partially: boolean): void {
    const followed = this.documents.get(id);
    const step = followed?.history.takeStep(this.clock.now());
    if (!followed || (step && step.after.length > MAX_DOCUMENT)) {
      return this.events.skipped('the document is too large, or in no file');
    }
    const main = step && largest(step.changes);
    if (!main) return this.events.skipped('the command put nothing into the document');
    if (step.after !== followed.document.getText()) {
      this.events.skipped('the document is not what its changes make of it');
      this.close(id);
      return this.open(followed.document);
    }
    // Where it is after all changes of the step.
    const at = step.changes.slice(step.changes.indexOf(main) + 1).reduce(shiftOffset, main.offset);
    const part: Part = { ...step, offset: at, text: main.text };
    const earlier = followed.parts;
    if (earlier && continues(earlier, part)) {
      earlier.stop();
      followed.parts = undefined;
      this.take(followed, joined(earlier, part), earlier.place, partially);
    } else {
      this.finish(followed);
      const place = { offset: at, stop: () => undefined };
      followed.places.add(place);
      this.take(followed, part, place, partially);
    }
  }

  /** A document that is closed is not looked at again. */
  close(id: string): void {
    const followed = this.documents.get(id);
    if (!followed) return;
    this.finish(followed);
    followed.places.forEach(({ stop }) => stop());
    this.documents.delete(id);
  }

  /** Takes what waits for further parts as it is, and calls the checks off. */
  dispose(): void {
    [...this.documents.keys()].forEach((id) => this.close(id));
  }

  private take(followed: FollowedDocument, part: Part, place: Place, partially: boolean): void {
    if (!partially) return this.settle(followed, part, place, false);
    const stop = this.clock.later(PARTS_MS, () => this.finish(followed));
    followed.parts = { ...part, place, stop };
  }

  /** Nobody takes another part of what was taken in parts. */
  private finish(followed: FollowedDocument): void {
    const { parts } = followed;
    if (!parts) return;
    parts.stop();
    followed.parts = undefined;
    this.settle(followed, parts, parts.place, true);
  }

  private settle(followed: FollowedDocument, part: Part, place: Place, partially: boolean): void {
    const { before, after, changes, text } = part;
    this.watch(followed, place, text);
    this.events.accepted({
      path: followed.document.path,
      before,
      after,
      kind: changes.every(({ removed }) => removed === 0) ? 'insert' : 'replace',
      partially,
      characters: text.length,
    });
  }

  private watch({ document, places }: FollowedDocument, place: Place, completion: string): void {
    const stops = SURVIVAL_CHECK_SECONDS.map((afterSeconds, index) =>
      this.clock.later(afterSeconds * 1000, () => {
        const window = survivalWindow(document.getText(), place.offset, completion.length);
        const survival = survivalOf(completion, window);
        if (survival) this.events.checked(document.path, afterSeconds, survival);
        if (index === SURVIVAL_CHECK_SECONDS.length - 1) places.delete(place);
      }),
    );
    place.stop = () => stops.forEach((stop) => stop());
  }
}

interface FollowedDocument {
  readonly document: EditorDocument;
  readonly history: DocumentHistory;
  readonly places: Set<Place>;
  /** Of a completion that is being taken word by word. */
  parts: (Part & { readonly place: Place; stop(): void }) | undefined;
}

/** Where a completion was put that is still to be looked at. */
interface Place {
  offset: number;
  stop(): void;
}

interface Part {
  readonly before: string;
  readonly after: string;
  readonly changes: readonly TextChange[];
  /** Where in `after` the completion begins. */
  readonly offset: number;
  /** What was put there. */
  readonly text: string;
}

function largest(changes: readonly TextChange[]): TextChange | undefined {
  const added = changes.filter(({ text }) => text !== '');
  return added.reduce<TextChange | undefined>(
    (longest, change) => (longest && longest.text.length >= change.text.length ? longest : change),
    undefined,
  );
}

/** It begins where the parts before it end, and nothing else has happened meanwhile. */
function continues(earlier: Part, part: Part): boolean {
  return part.before === earlier.after && part.offset === earlier.offset + earlier.text.length;
}

function joined(earlier: Part, part: Part): Part {
  return {
    before: earlier.before,
    after: part.after,
    changes: [...earlier.changes, ...part.changes],
    offset: earlier.offset,
    text: earlier.text + part.text,
  };
}
