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
    const config = app.get<Config>(CONFIG);
    serveDashboard(app, { issuer: config.oidc?.issuer });
    setUpOpenApi(app);
    const made = await bootstrap(app.get(DATABASE), config.bootstrap);
    if (made.apiKey) {
      // The one place where the key can be seen: only its hash is stored.
      const { host, port } = config.http;
      process.stdout.write(
        `Administrator API key of organisation ${made.orgId} (shown once): ${made.apiKey}\n` +
          (port === 0 ? '' : `Dashboard, with that key: http://${host}:${port}/#key=${made.apiKey}\n`),
      );
    }
  },
});
