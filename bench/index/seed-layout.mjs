import { randomUUID } from 'node:crypto';

/** As the first design document says: 90 days. */
const TTL_SECONDS = 90 * 86_400;

/** The first design document's recall: a Redis set for each of 16 bands of a signature, with the code ids in it. */
export class SeedLayout {
  constructor(redis) {
    this.redis = redis;
  }

  /** @param {number[][]} snippets bands of each */
  async add(snippets) {
    const pipeline = this.redis.pipeline();
    for (const bands of snippets) {
      const codeId = randomUUID();
      for (const [band, hash] of bands.entries()) {
        const key = keyOf(band, hash);
        pipeline.sadd(key, codeId);
        pipeline.expire(key, TTL_SECONDS);
      }
    }
    await pipeline.exec();
  }

  async find(bands) {
    const pipeline = this.redis.pipeline();
    for (const [band, hash] of bands.entries()) pipeline.smembers(keyOf(band, hash));
    const answers = await pipeline.exec();
    return new Set(answers.flatMap(([, codeIds]) => codeIds));
  }
}

function keyOf(band, hash) {
  return `lsh:bench:${band}:${hash.toString(16)}`;
}
