export * from './attribute-commit';
export * from './attribution-error';
export * from './snippet';
