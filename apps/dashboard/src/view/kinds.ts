import type { Term } from '../definitions/glossary';

/** What a line is, as pages show it: a colour, a pattern, and a letter for whoever sees neither. */
export type Kind = 'P' | 'M' | 'H' | 'excluded' | 'unknown' | 'blank';

export interface KindLook {
  readonly name: string;
  readonly letter: string;
  /** Ending of CSS classes. */
  readonly style: string;
  readonly term: Term | null;
}

export const KINDS: Readonly<Record<Kind, KindLook>> = {
  P: { name: 'Kept from AI', letter: 'K', style: 'kept', term: 'kept' },
  M: { name: 'Changed from AI', letter: 'C', style: 'changed', term: 'changed' },
  H: { name: 'Human', letter: 'H', style: 'human', term: 'human' },
  excluded: { name: 'Excluded', letter: 'X', style: 'excluded', term: 'excluded' },
  unknown: { name: 'Unknown origin', letter: '?', style: 'unknown', term: 'unknown' },
  blank: { name: 'Blank', letter: '', style: 'blank', term: null },
};

export interface Counts {
  readonly preserved: number;
  readonly modified: number;
  readonly human: number;
  readonly unknown?: number;
}

/** The parts of a bar that shows what lines are, without empty ones. */
export function kindParts(counts: Counts): { kind: Kind; lines: number }[] {
  const parts: { kind: Kind; lines: number }[] = [
    { kind: 'P', lines: counts.preserved },
    { kind: 'M', lines: counts.modified },
    { kind: 'H', lines: counts.human },
    { kind: 'unknown', lines: counts.unknown ?? 0 },
  ];
  return parts.filter(({ lines }) => lines > 0);
}
