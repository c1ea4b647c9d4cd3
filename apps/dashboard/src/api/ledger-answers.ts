export interface LineOrigin {
  readonly commit: string;
  readonly path: string;
  readonly line: number;
  readonly author: string | null;
  readonly userId: string | null;
  readonly at: string;
}
export interface LineExplanation {
  readonly line: number;
  readonly rule: string;
  readonly snippetLine: number;
  readonly bits: number;
}
export interface LineRange {
  readonly start: number;
  readonly count: number;
  readonly kind: 'P' | 'M' | 'H' | 'blank' | 'excluded' | 'unknown';
  readonly origin: LineOrigin | null;
  readonly evidence?: string | null;
  readonly confidence?: string | null;
  readonly codeId?: string | null;
  readonly source?: string | null;
  readonly model?: string | null;
  readonly explanations?: readonly LineExplanation[];
}
export interface LinesAnswer {
  readonly repository: string;
  readonly path: string;
  readonly commit: string;
  readonly ref: string | null;
  readonly lines: readonly LineRange[];
  readonly text: readonly string[] | null;
  readonly textMissing: string | null;
}
export interface AlignmentAnswer {
  readonly lines: readonly {
    line: number;
    tokens: number;
    matched: { newLine: number; rule: string; bits: number; kind: string } | null;
  }[];
  readonly words: string;
}
