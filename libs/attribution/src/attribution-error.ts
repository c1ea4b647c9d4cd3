export type AttributionErrorCode =
  'candidates-malformed' | 'explanation-malformed' | 'lineage-malformed' | 'lines-not-reconciled';

/** The input cannot be decided, or the decision contradicts itself. Trying again does not help. */
export class AttributionError extends Error {
  constructor(
    readonly code: AttributionErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'AttributionError';
  }
}
