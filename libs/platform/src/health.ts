import { Controller, Get, Header, Inject, Injectable, Res } from '@nestjs/common';
import type { Response } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { Public } from './auth';

export type HealthCheck = () => Promise<void> | void;

/** What a process must reach to be ready, and what must keep moving for it to be alive. */
@Injectable()
export class HealthRegistry {
  private readonly readiness = new Map<string, HealthCheck>();
  private readonly liveness = new Map<string, HealthCheck>();

  ready(name: string, check: HealthCheck): void {
    this.readiness.set(name, check);
  }

  alive(name: string, check: HealthCheck): void {
    this.liveness.set(name, check);
  }

  checkReady(): Promise<Record<string, string>> {
    return run(this.readiness);
  }

  checkAlive(): Promise<Record<string, string>> {
    return run(this.liveness);
  }
}

/** Runs checks side by side; the answer names each as `ok` or with its message. */
async function run(checks: Map<string, HealthCheck>): Promise<Record<string, string>> {
  const entries = [...checks].map(async ([name, check]): Promise<[string, string]> => {
    try {
      await check();
      return [name, 'ok'];
    } catch (error) {
      return [name, error instanceof Error ? error.message : String(error)];
    }
  });
  return Object.fromEntries(await Promise.all(entries));
}

export const METRICS = Symbol('METRICS');

export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

@Controller()
@Public()
export class HealthController {
  constructor(
    private readonly health: HealthRegistry,
    @Inject(METRICS) private readonly metrics: Registry,
  ) {}

  @Get('health/live')
  async live(@Res() response: Response): Promise<void> {
    answer(response, await this.health.checkAlive());
  }

  @Get('health/ready')
  async ready(@Res() response: Response): Promise<void> {
    answer(response, await this.health.checkReady());
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4')
  scrape(): Promise<string> {
    return this.metrics.metrics();
  }
}

function answer(response: Response, checks: Record<string, string>): void {
  const ok = Object.values(checks).every((state) => state === 'ok');
  response.status(ok ? 200 : 503).json({ status: ok ? 'ok' : 'unavailable', checks });
}
