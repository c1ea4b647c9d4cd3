/**
 * Errors carry a stable code, say whether trying again can help, keep their cause, and name what the
 * reader can do. Consumers retry transient ones and dead-letter the rest.
 */
export class LineprintError extends Error {
  readonly code: string;
  readonly transient: boolean;

  constructor(code: string, message: string, options: { transient?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.transient = options.transient ?? false;
  }
}

/** A store or broker did not answer: trying again can help. */
export class StoreError extends LineprintError {
  constructor(code: string, message: string, cause?: unknown) {
    super(code, message, { transient: true, cause });
  }
}

/** A setting is missing or wrong: nothing but changing it helps. */
export class ConfigError extends LineprintError {
  constructor(message: string) {
    super('config-invalid', message);
  }
}

export function isTransient(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { transient?: unknown }).transient === true;
}

/** An error an HTTP caller gets as problem+json. `detail` tells the caller what to do. */
export class HttpProblem extends LineprintError {
  readonly status: number;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly { path: string; detail: string }[] | undefined;
  /** Further members of the answer, such as a batch's `rejected` items. */
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    title: string,
    detail: string,
    extra: {
      headers?: Record<string, string>;
      errors?: { path: string; detail: string }[];
      extensions?: Record<string, unknown>;
      cause?: unknown;
    } = {},
  ) {
    super(code, detail, { cause: extra.cause });
    this.status = status;
    this.title = title;
    this.headers = extra.headers ?? {};
    this.errors = extra.errors;
    this.extensions = extra.extensions ?? {};
  }
}
