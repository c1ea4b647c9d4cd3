export * from './core';
export {
  ClientRefusal,
  ClientUnavailable,
  LineprintClient,
  type ClientOptions,
  type Enrolment,
} from './client';
export { CaptureState, type CaptureSettings, NotEnrolled } from './capture-state';
export { enrol, type EnrolmentRequest } from './enrolment';
export { captureStatus, type CaptureStatus, lastRecord, spooledRecords, statusText } from './capture-status';
export { writeAtomically } from './atomic-file';
export { Spool, type Segment, type SpoolLimits } from './spool';
export { loadProgress, type Progress } from './progress';
export { sendSpool, type SendOptions, type SendOutcome, type Refused } from './sender';
export { fingerprintEdits, recordEdits, type RecordOptions } from './recorder';
export { runHook, startSender, type HookOptions, type KeptEvent } from './hook';
export { hookScript, type HookPrograms } from './hook-script';
export { readInbox } from './inbox';
export { findWorkingTree, pathInTree, type WorkingTree } from './working-tree';
export { declaredRanges, type LineClaim, type LineClaims } from './adapters/line-claims';
export { GIT_AI_REF, gitAiClaims } from './adapters/git-ai';
export { AGENT_TRACE_FILE, agentTraceClaims } from './adapters/agent-trace';
export { VERSION } from './version';
