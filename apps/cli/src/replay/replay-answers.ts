/** A replay, as `GET /api/v1/replays/{id}` answers. */
export interface Replay {
  readonly id: string;
  readonly policy: string;
  readonly topic: string;
  readonly stage: string;
  readonly status: string;
  readonly repository: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly maxRate: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdBy: string | null;
  readonly createdAt: string;
  /** Records of the stage's topic, up to what there was when it was started or resumed. */
  readonly done: number;
  readonly total: number;
  readonly judged: number;
  readonly written: number;
  readonly refused: number;
  /** Commits a second. */
  readonly rate: number | null;
  readonly secondsLeft: number | null;
}

export interface ReplayList {
  readonly replays: readonly Replay[];
}
