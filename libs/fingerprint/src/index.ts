export * from './line-print';
