export { QueryApiModule } from './query-api.module';
export { openApiDocument, setUpOpenApi } from './openapi/openapi';
export { serveDashboard } from './dashboard/serve-dashboard';
export { CLOCK, type Clock } from './clock';
