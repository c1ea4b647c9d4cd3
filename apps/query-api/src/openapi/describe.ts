import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { type Problem, problemSchema } from '@lineprint/contracts';
import type { Scope } from '@lineprint/platform';
import { z } from 'zod';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type SchemaObject = Exclude<Schemas[string], { $ref: string }>;

/** The OpenAPI 3.0 form of a zod schema: of what is sent (`input`) or of what is answered (`output`). */
export function openApiSchema(schema: z.ZodType, io: 'input' | 'output'): SchemaObject {
  // zod's type is that of JSON Schema; with this target the value is OpenAPI's dialect of it.
  return z.toJSONSchema(schema, { target: 'openapi-3.0', io, unrepresentable: 'any' }) as SchemaObject;
}

const problem: Problem = {
  type: 'urn:lineprint:problem:parameters-invalid',
  title: 'Invalid parameters',
  status: 400,
  code: 'parameters-invalid',
  detail: 'Correct these query parameters and send the request again: limit: send a number from 1 to 200',
  errors: [{ path: 'limit', detail: 'send a number from 1 to 200' }],
};
/** The content of every answer that is a problem (RFC 9457). */
export const PROBLEM = {
  'application/problem+json': { schema: openApiSchema(problemSchema, 'output'), example: problem },
};
export const REFUSED = {
  description: 'What is wrong with the request, and what to send instead (RFC 9457)',
  content: PROBLEM,
};

export interface DescribeOptions {
  readonly path?: Readonly<Record<string, z.ZodType>>;
  readonly mediaType?: string;
  /** What a credential needs; `read` unless said otherwise. `any` will do, `public` needs none. */
  readonly scope?: Scope | 'any' | 'public';
  readonly body?: { readonly schema: z.ZodType; readonly example: object };
  /** Whether its list can be had as CSV as well (`AnswersCsv`). */
  readonly csv?: boolean;
  /** Of the answer; 200 unless said otherwise. */
  readonly status?: 200 | 201;
}

/** Documents a handler by the zod schemas it parses what it is sent with and builds its answer to. */
export function DescribesAnswer(
  summary: string,
  answer: z.ZodType,
  query: z.ZodObject,
  options: DescribeOptions = {},
): MethodDecorator {
  const answers = {
    [options.mediaType ?? 'application/json']: { schema: openApiSchema(answer, 'output') },
    ...(options.csv && { 'text/csv': { schema: { type: 'string' } } }),
  };
  const { scope = 'read' } = options;
  const security =
    scope === 'public'
      ? ApiOperation({ summary, description: 'Without a credential.', security: [] })
      : ApiOperation({
          summary,
          description: scope === 'any' ? 'Any credential.' : `Scope \`${scope}\`.`,
          security: [{ bearer: [] }],
        });
  return applyDecorators(
    security,
    ...describePath(options.path ?? {}),
    ...describeQuery(query),
    ...(options.body ? [describeBody(options.body)] : []),
    ApiResponse({ status: options.status ?? 200, description: summary, content: answers }),
    ApiResponse({ status: '4XX', ...REFUSED }),
  );
}

function describeBody({ schema, example }: NonNullable<DescribeOptions['body']>): MethodDecorator {
  return ApiBody({ schema: { ...openApiSchema(schema, 'input'), example } });
}

function describePath(parameters: Readonly<Record<string, z.ZodType>>): MethodDecorator[] {
  return Object.entries(parameters).map(([name, parameter]) => {
    const { description, ...schema } = openApiSchema(parameter, 'input');
    return ApiParam({ name, schema, ...(description && { description }) });
  });
}

function describeQuery(query: z.ZodObject): MethodDecorator[] {
  const { properties = {}, required = [] } = openApiSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => {
    const description = 'description' in schema ? schema.description : undefined;
    return ApiQuery({ name, schema, required: required.includes(name), ...(description && { description }) });
  });
}
