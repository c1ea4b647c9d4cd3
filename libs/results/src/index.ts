export * from './attribution-rows';
export { type DailyKey, lockDaily, recomputeDaily, recomputeSessionDays } from './results.queries';
export * from './write-verdicts';
export { lockCounting, settleRefs, tellRefs } from './counted-refs';
export { checkTable, type Difference, type ReconciledDays, SUMMED_TABLES } from './reconciliation.queries';
export * from './reconciliations';
