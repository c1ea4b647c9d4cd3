export { MATCH_RULES, type MatchRule } from './alignment';
export * from './attribute-commit';
export * from './attribution-error';
export * from './context-lines';
export * from './explanation';
export { changedLines } from './changed-lines';
export * from './inherited-lines';
export * from './line-weights';
export * from './snippet';
