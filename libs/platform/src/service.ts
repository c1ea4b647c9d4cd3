import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { json, type NextFunction, raw, type Request, type Response } from 'express';
import type { Registry } from 'prom-client';
import { authenticate, AuthGuard, CREDENTIALS, type Credentials } from './auth';
import { type Config, CONFIG, loadConfig } from './config';
import { answerBrokenRequests } from './broken-requests';
import { HttpProblem } from './errors';
import { createMetrics, HealthController, HealthRegistry, METRICS } from './health';
import { measureRequests } from './http-metrics';
import { bodyTooComplex, isJsonWithin } from './json-structure';
import { createLogger, type Logger, LOGGER, NestLogger } from './logging';
import { ProblemFilter } from './problem-filter';
import { limitStrangers, RateLimits } from './rate-limits';
import { RequestTenantInterceptor } from './request-tenant';
import { secureHeaders } from './security-headers';
import { type SignedRequest, SignedRequests } from './signed-requests';
import { startTracing, traceRequests } from './tracing';

/** Injection token of the service's name, e.g. `rollup`. */
export const SERVICE_NAME = Symbol('SERVICE_NAME');
const STOP_TRACING = Symbol('STOP_TRACING');

/** What every service has: configuration, logger, health, metrics, traces, the guard and the problem filter. */
@Global()
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  constructor(@Inject(STOP_TRACING) private readonly stopTracing: () => Promise<void>) {}

  static forRoot(service: string, config: Config, logger: Logger): DynamicModule {
    return {
      module: PlatformModule,
      controllers: [HealthController],
      providers: [
        { provide: SERVICE_NAME, useValue: service },
        { provide: CONFIG, useValue: config },
        { provide: LOGGER, useValue: logger },
        { provide: METRICS, useValue: createMetrics(service) },
        { provide: STOP_TRACING, useFactory: () => startTracing(service, config.otlpUrl) },
        HealthRegistry,
        SignedRequests,
        RateLimits,
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_INTERCEPTOR, useClass: RequestTenantInterceptor },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
      exports: [SERVICE_NAME, CONFIG, LOGGER, METRICS, HealthRegistry, SignedRequests, RateLimits],
    };
  }

  /** After the transport has drained, so that the last spans are sent as well. */
  onApplicationShutdown(): Promise<void> {
    return this.stopTracing();
  }
}

@Module({})
class ServiceModule {}

export interface ServiceOptions {
  readonly name: string;
  /** The service's module; the stores' modules among its imports. */
  readonly module: Type | DynamicModule;
  readonly config?: Config;
  /** The transport that feeds the service's consumers. */
  readonly transport?: (app: NestExpressApplication) => CustomTransportStrategy;
  /** Further set-up before the service listens (OpenAPI). */
  readonly prepare?: (app: NestExpressApplication) => void | Promise<void>;
}

export interface RunningService {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly config: Config;
  readonly logger: Logger;
  close(): Promise<void>;
}

const COMMITS_PATH = '/api/v1/commits';

/** Longer than clients and load balancers (60 s) keep a connection that they may send on in the moment it is closed. */
const KEEP_ALIVE_MS = 65_000;

/** Builds and starts a service: HTTP first, so that probes answer, then its consumers. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const config = options.config ?? loadConfig();
  const logger = createLogger(options.name, config.logLevel);
  const app = await NestFactory.create<NestExpressApplication>(
    {
      module: ServiceModule,
      imports: [PlatformModule.forRoot(options.name, config, logger), options.module],
    },
    { logger: new NestLogger(logger), bodyParser: false, abortOnError: false },
  );
  app.set('etag', 'weak');
  app.getHttpAdapter().getInstance().disable('x-powered-by');
  app.set('trust proxy', config.http.trustedProxies);
  app.use(secureHeaders);
  app.use(measureRequests(app.get<Registry>(METRICS, { strict: false })));
  app.use(traceRequests);
  const limits = app.get(RateLimits, { strict: false });
  app.use(limitStrangers(limits));
  app.use(readSigned(app.get(SignedRequests, { strict: false })));
  app.use(authenticateSender(app.get<Credentials>(CREDENTIALS, { strict: false }), limits));
  app.use(COMMITS_PATH, readJson(config.http.commitBodyLimit, config.http.bodyValues));
  app.use(readJson(config.http.bodyLimit, config.http.bodyValues));
  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  answerBrokenRequests(server);
  if (options.transport) {
    app.connectMicroservice({ strategy: options.transport(app) }, { inheritAppConfig: true });
  }
  await options.prepare?.(app);
  app.enableShutdownHooks();
  await app.listen(config.http.port, config.http.host);
  await app.startAllMicroservices();
  const address = app.getHttpServer().address() as AddressInfo;
  const url = `http://${address.address.includes(':') ? `[${address.address}]` : address.address}:${address.port}`;
  logger.info({ url }, `${options.name} listens`);
  return { app, url, config, logger, close: () => app.close() };
}

/**
 * `main` of a service: starts it, or says in one line why it cannot and exits with 1. A process that started
 * it with a channel is told `{ url }`.
 */
export function runService(options: ServiceOptions): void {
  startService(options).then(
    ({ url }) => void process.send?.({ url }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      createLogger(options.name, 'info').fatal({ err: error }, message);
      process.exit(1);
    },
  );
}

/** Reads the bytes of a signed door's request, once its address is known. Whoever answers it checks the signature. */
function readSigned(signed: SignedRequests) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const door = request.method === 'POST' ? signed.doorOf(request.path) : undefined;
    if (!door) {
      next();
      return;
    }
    // Compressed bytes would be others than those that were signed.
    const read = raw({ limit: door.bodyLimit, type: () => true, inflate: false });
    door.admit(request.path).then(() => {
      read(request, response, (error?: unknown) => {
        const body: unknown = request.body;
        (request as SignedRequest).rawBody = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
        next(error ? bodyProblem(error, door.bodyLimit) : undefined);
      });
    }, next);
  };
}

/** Before a body is read: a stranger's megabytes are not worth unpacking. */
function authenticateSender(credentials: Credentials, limits: RateLimits) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    if (!hasBody(request) || 'rawBody' in request) next();
    else authenticate(request, credentials, limits).then(() => next(), next);
  };
}

function hasBody(request: Request): boolean {
  return Number(request.headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in request.headers;
}

/** Reads a JSON body, plain or gzip, of at most `limit` bytes after decompression and `values` values. */
function readJson(limit: number, values: number) {
  const verify = (_request: unknown, _response: unknown, body: Buffer, charset: string) => {
    // Quotes and commas of other encodings cannot be counted, and JSON has no other (RFC 8259).
    const type =
      charset !== 'utf-8' ? 'charset.unsupported' : isJsonWithin(body, values) ? undefined : TOO_COMPLEX;
    if (type !== undefined) throw Object.assign(new Error(type), { type });
  };
  const parse = json({ limit, verify });
  return (request: Request, response: Response, next: NextFunction): void => {
    if (hasBody(request) && !request.is(['application/json', 'application/*+json'])) {
      next(
        new HttpProblem(
          415,
          'content-type-unsupported',
          'Unsupported Media Type',
          'Send `Content-Type: application/json`.',
        ),
      );
      return;
    }
    parse(request, response, (error?: unknown) =>
      next(error ? bodyProblem(error, limit, values) : undefined),
    );
  };
}

/** Of an error of ours, beside those of body-parser. */
const TOO_COMPLEX = 'json.too.complex';

/** body-parser's errors, by their documented `type`. */
function bodyProblem(error: unknown, limit: number, values = Infinity): HttpProblem {
  const type = (error as { type?: string }).type;
  switch (type) {
    case 'entity.too.large':
      return new HttpProblem(
        413,
        'body-too-large',
        'Content Too Large',
        `The body is larger than ${limit} bytes. Send it in smaller batches.`,
        { headers: { 'retry-after': '1' }, cause: error },
      );
    case TOO_COMPLEX:
      return bodyTooComplex(values);
    case 'entity.parse.failed':
      return new HttpProblem(400, 'json-invalid', 'Bad Request', 'The body is not valid JSON.', {
        cause: error,
      });
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new HttpProblem(
        415,
        'encoding-unsupported',
        'Unsupported Media Type',
        'Send UTF-8 JSON, plain or compressed with gzip, deflate or br.',
        { cause: error },
      );
    default:
      return new HttpProblem(
        400,
        'body-unreadable',
        'Bad Request',
        'The body could not be read: it was cut off or its compression is damaged. Send it again.',
        { cause: error },
      );
  }
}
