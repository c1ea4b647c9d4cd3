/** The typed client of the read API. */
export {};
