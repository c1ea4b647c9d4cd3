import { answerOf, ApiError } from '@lineprint/api-client';
import { QueryClient, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from './client';

/** Answers stay good for a while: going back shows a page at once, and a commit changes numbers within seconds. */
const STALE_MS = 30_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        refetchOnWindowFocus: false,
        // A page that is opened again shows what failed, and a button to try again.
        retryOnMount: false,
        // What was refused will be refused again; only silence is worth a second try.
        retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
      },
    },
  });
}

/** What narrows the numbers of a page; undefined leaves it out. */
export interface Filter {
  readonly person?: string | undefined;
  readonly team?: string | undefined;
  readonly repository?: string | undefined;
  readonly project_id?: string | undefined;
  readonly policy?: string | undefined;
}

/** What an endpoint answers that can also answer CSV, which is not asked for here. */
const jsonOf = <T>(call: Parameters<typeof answerOf<T>>[0]): Promise<Exclude<T, string>> =>
  answerOf(call) as Promise<Exclude<T, string>>;

export interface StatsFilter {
  readonly scope: 'organization' | 'project' | 'personal';
  readonly project_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly team?: string | undefined;
  readonly start_date: string;
  readonly end_date: string;
  readonly granularity: 'day' | 'week' | 'month';
  readonly policy?: string | undefined;
}

/** Attribution of a period, as the seed's endpoint answers it. */
export function useStats(filter: StatsFilter, enabled = true) {
  return useQuery({
    queryKey: ['stats', filter],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/v1/stats/ai-attribution', {
          params: { query: { ...filter, period: 'custom' } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    enabled,
  });
}
export type Stats = NonNullable<ReturnType<typeof useStats>['data']>;

/** Commits, newest first, page by page. */
export function useCommits(filter: Filter, limit: number) {
  return useInfiniteQuery({
    queryKey: ['commits', filter, limit],
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        api.GET('/api/v1/commits', { params: { query: { ...filter, limit, after: pageParam } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
}
export type ListedCommit = NonNullable<
  ReturnType<typeof useCommits>['data']
>['pages'][number]['commits'][number];

export function useCommit(repository: string, sha: string, policy: string | undefined) {
  return useQuery({
    queryKey: ['commit', repository, sha, policy],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/v1/commits/{sha}', {
          params: { path: { sha }, query: { repository, policy } },
          signal,
        }),
      ),
  });
}
export type CommitDetail = NonNullable<ReturnType<typeof useCommit>['data']>;

export function usePolicies() {
  return useQuery({
    queryKey: ['policies'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/v1/policies', { signal })),
  });
}
export type Policy = NonNullable<ReturnType<typeof usePolicies>['data']>['policies'][number];

export function usePolicyDiff(id: string, other: string, enabled: boolean) {
  return useQuery({
    queryKey: ['policy-diff', id, other],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/v1/policies/{id}/diff/{other}', { params: { path: { id, other } }, signal })),
    enabled,
  });
}
export type PolicyDiff = NonNullable<ReturnType<typeof usePolicyDiff>['data']>;

export function useFlippedLines(id: string, other: string, enabled: boolean) {
  return useInfiniteQuery({
    queryKey: ['flipped-lines', id, other],
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        api.GET('/api/v1/policies/{id}/diff/{other}/lines', {
          params: { path: { id, other }, query: { limit: 50, after: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    enabled,
  });
}

export interface HeadFilter extends Filter {
  readonly folder?: string | undefined;
}

/** What stands at HEAD, in parts. */
export function useHead(filter: HeadFilter, by: 'repository' | 'folder' | 'language' | 'person' | 'model') {
  return useQuery({
    queryKey: ['head', filter, by],
    queryFn: ({ signal }) =>
      jsonOf(api.GET('/api/v1/head', { params: { query: { ...filter, by } }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useSurvival(filter: Filter, by: 'origin' | 'source' | 'model') {
  return useQuery({
    queryKey: ['survival', filter, by],
    queryFn: ({ signal }) =>
      jsonOf(api.GET('/api/v1/survival', { params: { query: { ...filter, by } }, signal })),
    placeholderData: keepPreviousData,
  });
}

export type Cohort = NonNullable<ReturnType<typeof useSurvival>['data']>['cohorts'][number];
export type HeadPart = NonNullable<ReturnType<typeof useHead>['data']>['parts'][number];
export type FileSort = 'lines' | 'ai' | 'ratio' | 'path';

/** Files at HEAD, page by page. */
export function useFiles(
  filter: { repository: string; folder?: string | undefined; policy?: string | undefined },
  sort: FileSort,
) {
  return useInfiniteQuery({
    queryKey: ['files', filter, sort],
    queryFn: ({ signal, pageParam }) =>
      jsonOf(
        api.GET('/api/v1/files', {
          params: { query: { ...filter, sort, limit: 200, after: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export type HeadFile = NonNullable<ReturnType<typeof useFiles>['data']>['pages'][number]['files'][number];

export interface FilePlace {
  readonly repository: string;
  readonly path: string;
  readonly commit?: string | undefined;
  readonly policy?: string | undefined;
}

/** The lines of a file at a commit, or at HEAD, with origin and evidence. */
export function useFileLines(place: FilePlace) {
  return useQuery({
    queryKey: ['file-lines', place],
    queryFn: ({ signal }) => answerOf(api.GET('/api/v1/files/lines', { params: { query: place }, signal })),
  });
}
export type FileLines = NonNullable<ReturnType<typeof useFileLines>['data']>;
export type LineRange = FileLines['lines'][number];

/** A snippet, line by line, beside the lines of a commit's file that come from it. */
export function useAlignment(
  codeId: string,
  place: { repository: string; path: string; commit: string; policy: string | undefined },
) {
  return useQuery({
    queryKey: ['alignment', codeId, place],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/v1/snippets/{codeId}/alignment', {
          params: { path: { codeId }, query: place },
          signal,
        }),
      ),
  });
}

/** Who asks: the organisation, the person, and what may be seen. */
export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/v1/me', { signal })),
  });
}

/** How people log in, before anybody has. */
export function useAuthSettings() {
  return useQuery({
    queryKey: ['auth-settings'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/v1/auth/settings', { signal })),
  });
}

export function useTeams() {
  return useQuery({
    queryKey: ['teams'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/v1/teams', { signal })),
  });
}

/** The days of a question, with what else narrows it. */
export interface PeriodFilter {
  readonly start_date: string;
  readonly end_date: string;
  readonly project_id?: string | undefined;
  readonly team?: string | undefined;
  readonly policy?: string | undefined;
}
const ofPeriod = (filter: PeriodFilter) => ({ ...filter, period: 'custom' as const });

/** Contributors of a period, those with most lines first, page by page. */
export function usePeople(filter: PeriodFilter, limit: number) {
  return useInfiniteQuery({
    queryKey: ['people', filter, limit],
    queryFn: ({ signal, pageParam }) =>
      jsonOf(
        api.GET('/api/v1/people', {
          params: { query: { ...ofPeriod(filter), limit, after: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Projects of a period, those with most lines first, page by page. */
export function useProjects(filter: PeriodFilter, limit: number) {
  return useInfiniteQuery({
    queryKey: ['projects', filter, limit],
    queryFn: ({ signal, pageParam }) =>
      jsonOf(
        api.GET('/api/v1/projects', {
          params: { query: { ...ofPeriod(filter), limit, after: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export interface ModelsFilter extends PeriodFilter {
  /** An address of the person whose lines they are. */
  readonly user_id?: string | undefined;
}

/** AI lines of a period by the model that the client named. */
export function useModels(filter: ModelsFilter) {
  return useQuery({
    queryKey: ['models', filter],
    queryFn: ({ signal }) =>
      jsonOf(api.GET('/api/v1/models', { params: { query: ofPeriod(filter) }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** Files that did not count in a period, by reason. */
export function useExclusions(filter: PeriodFilter) {
  return useQuery({
    queryKey: ['exclusions', filter],
    queryFn: ({ signal }) =>
      jsonOf(api.GET('/api/v1/exclusions', { params: { query: ofPeriod(filter) }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** What the numbers of a period do not know. */
export function useDataQuality(filter: Pick<PeriodFilter, 'start_date' | 'end_date' | 'policy'>) {
  return useQuery({
    queryKey: ['data-quality', filter],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/v1/data-quality', { params: { query: { ...filter, period: 'custom' } }, signal }),
      ),
    placeholderData: keepPreviousData,
  });
}
export type DataQuality = NonNullable<ReturnType<typeof useDataQuality>['data']>;
