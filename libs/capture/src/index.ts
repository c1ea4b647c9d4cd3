export { addedSpans, type LineSpan } from './changed-lines';
export { captureEdit, captureHunks, codeId, type CaptureContext } from './capture';
export { ClientRefusal, ClientUnavailable, LineprintClient, type ClientOptions } from './client';
export { type Adapter, AdapterError, type AdapterErrorCode, type CapturedEdit } from './adapters/adapter';
export { adapters } from './adapters';
