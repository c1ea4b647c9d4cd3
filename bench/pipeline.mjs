/**
 * The whole pipeline: with `--repo` in one process on a repository's history, else the services on Kafka, Redis and
 * Postgres under a generated load.
 */
import { measureRepository, renderRepository } from './pipeline/repository.mjs';
import { measureServices, renderServices } from './pipeline/services.mjs';

export function measure({ repo, max, ...load }) {
  if (repo === undefined && max !== undefined) throw new Error('--max belongs to --repo PATH.');
  return repo === undefined ? measureServices(load) : measureRepository({ repo, max });
}

export function render(answer) {
  return 'git' in answer ? renderRepository(answer) : renderServices(answer);
}
