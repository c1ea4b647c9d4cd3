import { eventLogTransport } from '@lineprint/event-log';
import { bootstrap, DATABASE } from '@lineprint/persistence';
import { type Config, CONFIG, runService } from '@lineprint/platform';
import { serveDashboard, setUpOpenApi } from '@lineprint/query-api';
import { StandaloneModule } from './standalone.module';

// Where the process that started it opened a channel (the demo does), it does not outlive that process.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

runService({
  name: 'standalone',
  module: StandaloneModule,
  transport: eventLogTransport,
  prepare: async (app) => {
    serveDashboard(app, { issuer: app.get<Config>(CONFIG).oidc?.issuer });
    setUpOpenApi(app);
    const made = await bootstrap(app.get(DATABASE), app.get(CONFIG).bootstrap);
    if (made.apiKey) {
      // The one place where the key can be seen: only its hash is stored.
      process.stdout.write(
        `Administrator API key of organisation ${made.orgId} (shown once): ${made.apiKey}\n`,
      );
    }
  },
});
