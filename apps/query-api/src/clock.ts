/** Milliseconds since 1970. Injected, so that a test can say what today is. */
export type Clock = () => number;
export const CLOCK = Symbol('CLOCK');
