import { Module } from '@nestjs/common';
import { LazyEventLogModule } from '@lineprint/event-log';
import { PersistenceModule } from '@lineprint/persistence';
import { type Config, CONFIG, runService } from '@lineprint/platform';
import { QueryApiModule, serveDashboard, setUpOpenApi } from './index';

@Module({ imports: [PersistenceModule, LazyEventLogModule, QueryApiModule] })
class AppModule {}

runService({
  name: 'query-api',
  module: AppModule,
  prepare: (app) => {
    serveDashboard(app, { issuer: app.get<Config>(CONFIG).oidc?.issuer });
    setUpOpenApi(app);
  },
});
