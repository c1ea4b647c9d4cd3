export * from './recall-index';
export * from './epoch';
export * from './eligibility';
export * from './ranking';
export * from './open-recall-index';
export * from './recall.module';
export * from './inspect-redis';
