import { refuseEviction } from './eviction';

const info = (limit: number, policy: string): string =>
  `# Memory\r\nused_memory:900\r\nmaxmemory:${limit}\r\nmaxmemory_human:1B\r\nmaxmemory_policy:${policy}\r\n`;

describe('refuseEviction', () => {
  it.each(['volatile-lru', 'allkeys-lfu', 'volatile-ttl'])('refuses a server that evicts by %s', (policy) => {
    expect(() => refuseEviction(info(1_000_000, policy))).toThrow(
      expect.objectContaining({ code: 'config-invalid', message: expect.stringContaining('noeviction') }),
    );
  });

  it('takes a server that refuses writes when it is full, has no limit, or does not say', () => {
    refuseEviction(info(1_000_000, 'noeviction'));
    refuseEviction(info(0, 'allkeys-lru'));
    refuseEviction('# Memory\r\n');
  });
});
