import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ZodObject } from 'zod';
import { activityEventSchema } from './activity/activity';
import { attributionEventSchema } from './attributions/attribution';
import { candidatesEventSchema } from './candidates/candidates';
import { commitEventSchema } from './commits/commit';
import { refsEventSchema } from './refs/refs';
import { snippetEventSchema } from './snippets/snippet';

type JsonObject = Record<string, unknown>;

/** Each topic's schema, and changes of its full fixture that must be refused. */
const topics: Record<string, { schema: ZodObject; bad: Record<string, (value: JsonObject) => void> }> = {
  snippets: {
    schema: snippetEventSchema,
    bad: {
      'a protocol that does not exist yet': (value) => (value['protocol'] = 3),
      'a source that is none': (value) => (value['source'] = 'robot'),
      'an empty code id': (value) => (value['codeId'] = ''),
      'a time before 1970': (value) => (value['timestamp'] = -1),
      'prints that are not base64': (value) => (value['linePrints'] = 'no prints!'),
      'a path instead of its keyed hash': (value) => (value['pathKey'] = 'src/berth.ts'),
    },
  },
  activity: {
    schema: activityEventSchema,
    bad: {
      'a negative count': (value) => ((value['chat'] as JsonObject)['edits'] = -1),
      'a survival above 1': (value) =>
        ((value['tab'] as Record<string, JsonObject[]>)['survival']![0]!['wordSimilarity'] = 1.2),
      'a branch instead of a commit': (value) =>
        ((value['gitBaseline'] as JsonObject)['headCommit'] = 'main'),
    },
  },
  commits: {
    schema: commitEventSchema,
    bad: {
      'an abbreviated sha': (value) => (value['sha'] = 'abc1234'),
      'a fraction of an offset': (value) => (value['snippetHorizon'] = [0.5]),
      'lines that two records declare': (value) => {
        const file = (value['files'] as JsonObject[])[0]!;
        const [first] = file['declaredLines'] as JsonObject[];
        file['declaredLines'] = [first, first];
      },
      'a file status that is none': (value) => ((value['files'] as JsonObject[])[0]!['status'] = 'touched'),
    },
  },
  refs: {
    schema: refsEventSchema,
    bad: {
      'a tag': (value) => ((value['refs'] as JsonObject[])[0]!['ref'] = 'refs/tags/v1'),
      'a branch without its folder': (value) => ((value['refs'] as JsonObject[])[0]!['ref'] = 'main'),
      'an abbreviated sha': (value) => ((value['refs'] as JsonObject[])[0]!['sha'] = 'abc1234'),
    },
  },
  candidates: {
    schema: candidatesEventSchema,
    bad: {
      'a similarity above 1': (value) => ((value['candidates'] as JsonObject[])[0]!['text'] = 1.2),
      'token bits that are not base64': (value) =>
        ((value['files'] as JsonObject[])[0]!['tokenBits'] = '1,2,3'),
      'a candidate without a file': (value) => delete (value['candidates'] as JsonObject[])[0]!['file'],
    },
  },
  attributions: {
    schema: attributionEventSchema,
    bad: {
      'lines of a kind that is none': (value) => (firstOf(value, 'lines')['kind'] = 'A'),
      'a confidence that is none': (value) => (firstOf(value, 'results')['confidence'] = 'CERTAIN'),
      'negative evidence': (value) => (firstOf(value, 'results')['bits'] = -1),
    },
  },
};

function firstOf(attribution: JsonObject, list: 'lines' | 'results'): JsonObject {
  return (attribution['files'] as Record<string, JsonObject[]>[])[0]![list]![0]!;
}

const folder = (topic: string) => join(__dirname, topic, 'fixtures');
const fixturesOf = (topic: string) => readdirSync(folder(topic)).sort();
const read = (topic: string, file: string) =>
  JSON.parse(readFileSync(join(folder(topic), file), 'utf8')) as JsonObject;

/** The value with one more field in every object of it. */
function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, withUnknownFields(field)]);
  return { ...Object.fromEntries(fields), addedLater: { by: 'a newer version' } };
}

describe.each(Object.entries(topics))('a value of %s', (topic, { schema, bad }) => {
  it('is kept in a minimal and a full form of its version', () => {
    expect(fixturesOf(topic)).toEqual(expect.arrayContaining(['v1-full.json', 'v1-minimal.json']));
    expect(Object.keys(read(topic, 'v1-full.json')).sort()).toEqual(Object.keys(schema.shape).sort());
  });

  it.each(fixturesOf(topic))('is read and written unchanged: %s', (file) => {
    const value = read(topic, file);
    const parsed = schema.parse(value);
    expect(parsed).toEqual(value);
    expect(schema.parse(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed);
  });

  it.each(fixturesOf(topic))('is read without the fields that a newer writer added: %s', (file) => {
    const value = read(topic, file);
    expect(schema.parse(withUnknownFields(value))).toEqual(value);
  });

  it('is refused when any field of its minimal form is missing', () => {
    const minimal = read(topic, 'v1-minimal.json');
    for (const field of Object.keys(minimal)) {
      const { [field]: _, ...rest } = minimal;
      expect([field, schema.safeParse(rest).success]).toEqual([field, false]);
    }
  });

  it.each(Object.keys(bad))('is refused with %s', (fault) => {
    const value = read(topic, 'v1-full.json');
    bad[fault]!(value);
    expect(schema.safeParse(value).success).toBe(false);
  });
});
