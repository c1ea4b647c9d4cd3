export { addedSpans, type LineSpan } from './changed-lines';
export { captureEdit, captureHunks, codeId, type CaptureContext } from './capture';
export { ClientRefusal, ClientUnavailable, LineprintClient, type ClientOptions } from './client';
