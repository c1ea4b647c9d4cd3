import type { Source } from '@lineprint/contracts';

/** One change that an assistant made to one file and that was accepted. */
export interface CapturedEdit {
  /** As the assistant names it: absolute, or relative to `cwd`. Only its keyed hash is ever sent. */
  readonly path: string;
  /** Where the assistant worked, when the event says. */
  readonly cwd?: string;
  /**
   * Texts of the file before and after: whole where the event carries them, else the same piece of both, cut at
   * line ends. When a person changed the proposal before accepting it, `after` is the proposal: the person's
   * changes then show in the commit.
   */
  readonly before: string;
  readonly after: string;
  readonly kind: 'insert' | 'replace' | 'write' | 'patch';
  readonly source: Source;
  readonly sessionId: string;
  /** The session that started this one as a sub-agent. */
  readonly parentSessionId?: string;
  readonly model?: string;
  /**
   * Names the call within its session, the same whether a hook or a transcript tells of it: with the session it
   * makes the code ids, so what was captured twice counts once. Edits of several files by one call come from one
   * event, in one order; where an assistant tells of them in several events, the id must differ between these.
   */
  readonly toolCallId: string;
  readonly acceptedPartially?: boolean;
  /** A person changed the proposal before accepting it. */
  readonly userModified?: boolean;
  /** When it was accepted, in milliseconds since 1970. */
  readonly time: number;
}

/**
 * Reads what one assistant tells of its edits. Pure: values in, values out; files, clock and network are the
 * caller's. A new assistant is a file beside this one, with fixtures in the real shape, and a line in `index.ts`.
 */
export interface Adapter {
  /** Names the assistant on the command line (`lineprint capture hook NAME`) and as `client.name`. */
  readonly name: string;
  /**
   * Edits that one event of the assistant's hook tells of; none for an event that changes no file or failed.
   * @param event parsed JSON
   * @param now time of an event that carries none
   * @param fileText what the file of `fileOfEvent` holds now
   * @throws AdapterError when the event is not in the assistant's shape
   */
  editsOfEvent?(event: unknown, now: number, fileText?: string): CapturedEdit[];
  /**
   * The file whose text makes an event's pieces whole, as the assistant names it, for assistants that send only pieces.
   * @throws AdapterError as `editsOfEvent`
   */
  fileOfEvent?(event: unknown): string | undefined;
  /**
   * Edits that a whole transcript, rollout or record tells of, in its order, none twice. Lines that are cut off or in no known
   * shape are passed over: a session may still be written to.
   */
  editsOfTranscript?(text: string): CapturedEdit[];
  /** The model that the end of a transcript names, for hooks whose events do not. */
  modelOfTranscript?(text: string): string | undefined;
}

export type AdapterErrorCode = 'event-malformed' | 'before-unknown';

/** An event that tells of no edit that could be captured. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';

  constructor(
    readonly code: AdapterErrorCode,
    message: string,
  ) {
    super(message);
  }
}
