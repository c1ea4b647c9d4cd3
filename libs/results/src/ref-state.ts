import type { CountedRef, RefsEvent } from '@lineprint/contracts';
import type { PendingTip, RefState, StoredRef } from '@lineprint/persistence';

/** What a ref has named while none of it was known, before the oldest is forgotten. */
const MAX_PENDING = 100;

/** What the refs name after an event; which of it is known shows in `settledRefs`. */
export function toldRefs(state: RefState, { refs: told, complete }: RefsEvent): RefState {
  let { nextDefault } = state;
  const refs = new Map(state.refs.map((stored) => [stored.ref, stored]));
  for (const stored of complete ? state.refs : []) {
    if (told.some(({ ref }) => ref === stored.ref)) continue;
    if (nextDefault === stored.ref) nextDefault = null;
    refs.set(stored.ref, { ...stored, counts: false });
  }
  for (const one of told) {
    const { ref, sha, isDefault, counts } = one;
    const known = refs.get(ref) ?? { ref, sha: null, pending: [], counts };
    if (sha === null) {
      if (nextDefault === ref) nextDefault = null;
      // Hosts delete no default branch: it is about to be another one, and names what it named until that is told.
      refs.set(ref, { ...known, counts: false });
      continue;
    }
    if (isDefault) nextDefault = ref === state.defaultRef ? null : ref;
    refs.set(ref, { ...known, counts, pending: withTold(known, one, complete) });
  }
  return { ...state, nextDefault, refs: wanted([...refs.values()], state.defaultRef, nextDefault) };
}

function withTold({ sha, pending }: StoredRef, told: CountedRef, moves: boolean): readonly PendingTip[] {
  const last = pending.at(-1)?.sha ?? sha;
  if (told.sha === null || told.sha === last) return pending;
  const tip = { sha: told.sha, ...(told.before === undefined ? {} : { before: told.before }), moves };
  return [...pending, tip].slice(-MAX_PENDING);
}

function wanted(
  refs: readonly StoredRef[],
  defaultRef: string | null,
  nextDefault: string | null,
): StoredRef[] {
  return refs.filter(({ ref, counts }) => counts || ref === defaultRef || ref === nextDefault);
}

/**
 * Lets each ref name the newest known commit that it was told to name. One that is older than what the ref names is
 * passed over where nobody has seen the ref go back: jobs of a CI overtake each other, and clones are old.
 *
 * @param complete whether the event that was told last names all refs that count
 */
export async function settledRefs(
  state: RefState,
  complete: boolean,
  isKnown: (sha: string) => boolean,
  isAncestor: (sha: string, of: string) => Promise<boolean>,
): Promise<RefState> {
  const refs: StoredRef[] = [];
  for (const stored of state.refs) {
    let { sha, pending } = stored;
    const last = pending.findLastIndex((tip) => isKnown(tip.sha));
    for (const tip of pending.slice(0, last + 1).filter((one) => isKnown(one.sha))) {
      const isSeen = sha === null || tip.moves || tip.before === sha;
      if (isSeen || !(await isAncestor(tip.sha, sha!))) sha = tip.sha;
    }
    pending = pending.slice(last + 1);
    refs.push({ ...stored, sha, pending });
  }
  const hasNext = refs.some(({ ref, sha }) => ref === state.nextDefault && sha !== null);
  const defaultRef = hasNext ? state.nextDefault : state.defaultRef;
  const nextDefault = hasNext ? null : state.nextDefault;
  const settled = { ...state, defaultRef, nextDefault, refs: wanted(refs, defaultRef, nextDefault) };
  return {
    ...settled,
    decided: state.decided || defaultRef !== null || (complete && refs.some(({ sha }) => sha !== null)),
  };
}

/** The refs from which on everything counts, and what each names. */
export function countedRefs({ decided, defaultRef, refs }: RefState): Map<string, string> {
  if (!decided) return new Map();
  return new Map(
    refs.flatMap(({ ref, sha, counts }) =>
      sha !== null && (counts || ref === defaultRef) ? [[ref, sha] as const] : [],
    ),
  );
}
