import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { codeFingerprintSchema, codeGenStatsSchema, commitPushSchema } from '@lineprint/contracts';
import { z } from 'zod';
import { openApiSchema } from './describe';

/** What the ingest endpoints take; they parse bodies with these schemas, so the document shows the same. */
const INGEST_BODIES: Readonly<Record<string, z.ZodType>> = {
  '/telemetry/code-fingerprint': codeFingerprintSchema,
  '/telemetry/code-gen-stats': codeGenStatsSchema,
  '/api/v1/code-fingerprints': z.object({ fingerprints: z.array(codeFingerprintSchema) }),
  '/api/v1/commits': z.object({ commits: z.array(commitPushSchema) }),
};

/**
 * Serves the OpenAPI 3 document of the running application at `/api/openapi.json` and Swagger UI, with assets
 * from the package, at `/api/docs`. Call it before the application listens.
 */
export function setUpOpenApi(app: INestApplication): void {
  SwaggerModule.setup('api/docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'api/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Lineprint API',
  });
}

/** The document: every endpoint of the process, ingest's too where they run together. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Lineprint')
    .setDescription('How much of the code that lands in git came from AI, with evidence.')
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key: lp_…' })
    .build();
  const document = SwaggerModule.createDocument(app, about);
  for (const [path, schema] of Object.entries(INGEST_BODIES)) {
    const operation = document.paths[path]?.post;
    if (!operation) continue;
    operation.requestBody = {
      required: true,
      content: { 'application/json': { schema: openApiSchema(schema, 'input') } },
    };
  }
  return document;
}
