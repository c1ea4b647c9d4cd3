import { createContext, useContext, type ReactNode } from 'react';
import { useCommits, useMe } from '../api/queries';
import { Failed } from '../parts/states';
import { dayIn, lengthOf } from '../view/period';
import { useParameters } from '../view/address';

export interface OrganisationClock {
  /** IANA name of the zone in which the organisation's days are counted. */
  readonly timeZone: string;
  /** The day with which periods end: today, or that of the newest commit where the history stopped before. */
  readonly lastDay: string;
  /** Whether it is an earlier day than today. */
  readonly stopped: boolean;
}

/** A history that is older than the usual period would show nothing: a finished project, or the demo's sample. */
const STOPPED_DAYS = 30;

const Clock = createContext<OrganisationClock | null>(null);

/** Finds out what day it is for the organisation; shows `children` when it is known. */
export function OrganisationClockProvider({
  children,
  waiting,
}: {
  children: ReactNode;
  waiting: ReactNode;
}) {
  const me = useMe();
  const { policy } = useParameters();
  const newest = useCommits({ policy }, 1);
  if (me.error ?? newest.error) {
    const retry = () => void Promise.all([me.refetch(), newest.refetch()]);
    return <Failed error={(me.error ?? newest.error) as Error} retry={retry} />;
  }
  if (me.isPending || newest.isPending) return waiting;
  const { timeZone } = me.data.organisation;
  const today = dayIn(timeZone, new Date());
  const authoredAt = newest.data?.pages[0]?.commits[0]?.authoredAt;
  const lastCommit = authoredAt === undefined ? today : dayIn(timeZone, new Date(authoredAt));
  const stopped = lastCommit < today && lengthOf({ start: lastCommit, end: today }) > STOPPED_DAYS;
  return (
    <Clock.Provider value={{ timeZone, lastDay: stopped ? lastCommit : today, stopped }}>
      {children}
    </Clock.Provider>
  );
}

export function useOrganisationClock(): OrganisationClock {
  const clock = useContext(Clock);
  if (!clock) throw new Error('useOrganisationClock outside of OrganisationClockProvider');
  return clock;
}
