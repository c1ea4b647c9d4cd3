/** Injection token of the process's one Database. */
export const DATABASE = Symbol('DATABASE');
