// What runs anywhere, a browser and an editor's web worker included: no Node, no native code, no clock.
export { addedSpans, type LineSpan } from './changed-lines';
export { captureEdit, captureHunks, codeId, type CaptureContext } from './capture';
export {
  asVersion1,
  type EditPlace,
  type FingerprintOptions,
  fingerprintsOf,
  type PlacedEdit,
} from './fingerprints';
export { explainFingerprint, requestBody } from './explanation';
export { redactSecrets } from './redaction';
export { type Adapter, AdapterError, type AdapterErrorCode, type CapturedEdit } from './adapters/adapter';
export { adapters } from './adapters';
export {
  applyChange,
  shiftOffset,
  type Survival,
  SURVIVAL_CHECK_SECONDS,
  survivalOf,
  type SurvivalTotals,
  survivalWindow,
  type TextChange,
} from './survival';
