export * from './attribution-rows';
export { type DailyKey, lockDaily, recomputeDaily, verdictKey } from './results.queries';
export * from './write-verdicts';
