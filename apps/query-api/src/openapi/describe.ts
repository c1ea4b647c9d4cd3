import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { problemSchema } from '@lineprint/contracts';
import { z } from 'zod';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type SchemaObject = Exclude<Schemas[string], { $ref: string }>;

/** The OpenAPI 3.0 form of a zod schema: of what is sent (`input`) or of what is answered (`output`). */
export function openApiSchema(schema: z.ZodType, io: 'input' | 'output'): SchemaObject {
  // zod's type is that of JSON Schema; with this target the value is OpenAPI's dialect of it.
  return z.toJSONSchema(schema, { target: 'openapi-3.0', io, unrepresentable: 'any' }) as SchemaObject;
}

/** Documents a handler by the zod schemas it parses its query with and builds its answer to. */
export function DescribesAnswer(
  summary: string,
  answer: z.ZodType,
  query: z.ZodObject,
  options: { path?: readonly string[]; mediaType?: string } = {},
): MethodDecorator {
  const answers = { [options.mediaType ?? 'application/json']: { schema: openApiSchema(answer, 'output') } };
  return applyDecorators(
    ApiOperation({ summary }),
    ApiBearerAuth(),
    ...(options.path ?? []).map((name) => ApiParam({ name, schema: { type: 'string' } })),
    ...describeQuery(query),
    ApiOkResponse({ description: summary, content: answers }),
    ApiResponse({
      status: '4XX',
      description: 'What is wrong with the request, and what to send instead (RFC 9457)',
      content: { 'application/problem+json': { schema: openApiSchema(problemSchema, 'output') } },
    }),
  );
}

function describeQuery(query: z.ZodObject): MethodDecorator[] {
  const { properties = {}, required = [] } = openApiSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => {
    const description = 'description' in schema ? schema.description : undefined;
    return ApiQuery({ name, schema, required: required.includes(name), ...(description && { description }) });
  });
}
