export * from './attribute-commit';
export * from './attribution-error';
export * from './line-weights';
export * from './snippet';
