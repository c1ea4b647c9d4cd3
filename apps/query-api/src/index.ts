export { QueryApiModule } from './query-api.module';
export { openApiDocument, setUpOpenApi } from './openapi/openapi';
export { CLOCK, type Clock } from './clock';
