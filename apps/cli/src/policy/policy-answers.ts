import type { Policy as PolicyBody } from '@lineprint/contracts';
import type { Figures } from '../api/read-client';

/** A policy, as `GET /api/v1/policies/{id}` answers. */
export interface Policy extends PolicyBody {
  readonly description: string | null;
  readonly createdAt: string;
  readonly createdBy: string | null;
  readonly active: boolean;
  readonly live: boolean;
  readonly replay: { readonly id: string; readonly status: string } | null;
  readonly judged: number;
}

export interface PolicyList {
  readonly policies: readonly Policy[];
  readonly activations: readonly {
    readonly from: string | null;
    readonly to: string;
    readonly by: string | null;
    readonly at: string;
  }[];
}

/** What a line is under a policy; null where that does not count its file. */
export type Origin = {
  readonly kind: 'P' | 'M' | 'H';
  readonly confidence: string;
  readonly evidence: string;
  readonly source: string | null;
} | null;

export interface BeforeAfter<T> {
  readonly from: T;
  readonly to: T;
}
type Split = Readonly<Record<string, BeforeAfter<Figures>>>;

/** As `GET /api/v1/policies/{id}/diff/{other}` answers. */
export interface PolicyDiff extends BeforeAfter<string> {
  readonly commits: { readonly both: number; readonly onlyFrom: number; readonly onlyTo: number };
  readonly total: BeforeAfter<Figures>;
  readonly byProject: Split;
  readonly byLanguage: Split;
  readonly bySource: Split;
  readonly byPerson: Split;
  readonly byConfidence: Split;
  readonly byEvidence: Split;
  readonly flips: readonly (BeforeAfter<Origin> & { readonly lines: number })[];
}

/** As `GET /api/v1/policies/{id}/diff/{other}/lines` answers. */
export interface FlippedFiles {
  readonly files: readonly {
    readonly repository: string;
    readonly sha: string;
    readonly path: string;
    readonly lines: readonly (BeforeAfter<Origin> & { readonly start: number; readonly count: number })[];
  }[];
  readonly next: string | null;
}
