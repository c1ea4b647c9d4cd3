import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { OTHER_OPERATIONS } from './other-operations';

/** Swagger UI puts its styles and pictures into the page, its scripts not. */
const DOCS_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; object-src 'none'; frame-ancestors 'none'";

/**
 * Serves the OpenAPI 3 document of the running application at `/api/openapi.json` and Swagger UI, with assets
 * from the package, at `/api/docs`. Call it before the application listens.
 */
export function setUpOpenApi(app: INestApplication): void {
  app.use('/api/docs', (_request: Request, response: Response, next: NextFunction) => {
    response.set('content-security-policy', DOCS_POLICY);
    next();
  });
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
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      const operation = operations[method];
      if (operation) Object.assign(operation, OTHER_OPERATIONS[`${method} ${path}`]);
    }
  }
  return document;
}
