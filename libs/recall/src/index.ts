export * from './recall-index';
