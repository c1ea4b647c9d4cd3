import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spool } from './spool';

const DAY = 86_400_000;

describe('Spool', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lineprint-spool-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const contents = (spool: Spool) => spool.segments().flatMap(({ name }) => spool.read(name));

  it('gives back what was kept, oldest first, in whichever order it was written', () => {
    const spool = new Spool(join(folder, 'spool'));
    expect(spool.segments()).toEqual([]);
    spool.append(['{"n":2}', '{"n":3}'], 2000);
    spool.append(['{"n":1}'], 1000);
    expect(contents(spool)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(spool.segments().map(({ time }) => time)).toEqual([1000, 2000]);
  });

  it('writes a segment of a known name once, however often', () => {
    const spool = new Spool(folder);
    spool.append(['1'], 1000);
    const { name } = spool.segments()[0]!;
    spool.write(name, ['1']);
    expect(contents(spool)).toEqual(['1']);
    spool.remove(name);
    spool.remove(name);
    expect(contents(spool)).toEqual([]);
  });

  it('drops the oldest beyond its size, its number and its age, and says how many records', () => {
    const limits = { maxBytes: 36, maxSegments: 3, maxAgeMs: 10 * DAY };
    const spool = new Spool(folder, limits);
    const now = 100 * DAY;
    spool.append(['"old"', '"old"'], now - 11 * DAY);
    for (let n = 1; n <= 4; n++) spool.append([`"${n}"`], now - DAY + n);
    expect(spool.enforceLimits(now)).toBe(3);
    expect(contents(spool)).toEqual(['"2"', '"3"', '"4"']);
    spool.append(['x'.repeat(30)], now);
    expect(spool.enforceLimits(now)).toBe(2);
    expect(contents(spool)).toEqual(['"4"', 'x'.repeat(30)]);
    expect(spool.enforceLimits(now)).toBe(0);
  });

  it('does not read what a killed process left unfinished, and removes it when it is surely abandoned', () => {
    const spool = new Spool(folder);
    const name = '00000000001000-00112233445566aa.jsonl.4711.new';
    writeFileSync(join(folder, name), '{"cut":');
    expect(spool.segments()).toEqual([]);
    spool.enforceLimits(Date.now());
    expect(readdirSync(folder)).toEqual([name]);
    utimesSync(join(folder, name), 1, 1);
    spool.enforceLimits(Date.now());
    expect(readdirSync(folder)).toEqual([]);
  });
});
