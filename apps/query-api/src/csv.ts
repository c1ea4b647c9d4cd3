import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { stringify } from 'csv-stringify/sync';
import { map, type Observable } from 'rxjs';
import { z } from 'zod';

/** An answer's list as a table. Null is an empty cell. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

/** The query parameter `format` of every endpoint that answers CSV as well. */
export const formatParameter = z
  .enum(['json', 'csv'], 'send json or csv')
  .optional()
  .meta({ description: 'By default what the header `Accept` asks for: JSON unless it prefers `text/csv`.' });

/**
 * Lets an endpoint answer its list as CSV (RFC 4180, a line of names first) to who asks for it by `format=csv` or
 * `Accept: text/csv`. The next page's address is in the header `Link` then. Cells that a spreadsheet would take for
 * a formula begin with an apostrophe.
 */
export function AnswersCsv<A>(tableOf: (answer: A) => Table): MethodDecorator {
  return applyDecorators(UseInterceptors(new CsvInterceptor(tableOf)));
}

class CsvInterceptor<A> implements NestInterceptor<A, A | string> {
  constructor(private readonly tableOf: (answer: A) => Table) {}

  intercept(context: ExecutionContext, next: CallHandler<A>): Observable<A | string> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    if (!wantsCsv(request)) return next.handle();
    return next.handle().pipe(
      map((answer) => {
        response.type('text/csv; charset=utf-8; header=present');
        const after = nextOf(answer);
        if (after !== null) response.set('link', `<${nextAddress(request, after)}>; rel="next"`);
        return csvOf(this.tableOf(answer));
      }),
    );
  }
}

function wantsCsv(request: Request): boolean {
  const { format } = request.query;
  return format === undefined
    ? request.accepts(['application/json', 'text/csv']) === 'text/csv'
    : format === 'csv';
}

/** The cursor of the page after an answer, where it comes in pages. */
function nextOf(answer: unknown): string | null {
  const { next } = answer as { next?: unknown };
  return typeof next === 'string' ? next : null;
}

function nextAddress(request: Request, after: string): string {
  const [path, query] = request.originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('after', after);
  return `${path}?${parameters.toString()}`;
}

function csvOf({ columns, rows }: Table): string {
  return stringify([[...columns], ...rows.map((row) => [...row])], {
    record_delimiter: 'windows',
    escape_formulas: true,
    cast: { boolean: String },
  });
}
