export { QueryApiModule } from './query-api.module';
export { setUpOpenApi } from './openapi/openapi';
export { CLOCK, type Clock } from './clock';
