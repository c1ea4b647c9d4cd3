import { HttpProblem, LineprintError } from '@lineprint/platform';

/** Errors that a caller can do something about, by code: their message says what. */
export type Problems = Readonly<Record<string, { readonly status: number; readonly title: string }>>;

/** What the work resolves to. @throws HttpProblem for an error that is among the problems, else the error itself */
export async function orProblem<T>(work: Promise<T>, problems: Problems): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof LineprintError)) throw error;
    const problem = problems[error.code];
    if (!problem) throw error;
    throw new HttpProblem(problem.status, error.code, problem.title, `${error.message}.`, { cause: error });
  }
}
