import { AdapterError } from './adapter';

// Events are read field by field instead of by a schema: a hook starts for each edit, and loading a schema library
// takes longer than all that it does.

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws AdapterError `event-malformed` */
export function fieldsOf(value: unknown, what: string): Fields {
  if (isFields(value)) return value;
  throw new AdapterError('event-malformed', `${what} is not an object`);
}

/** @throws AdapterError `event-malformed` when the field is no text */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw new AdapterError('event-malformed', `${name} is not a text`);
}

export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** The objects of a list; none when it is no list. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The lines of JSONL that are objects. The last line of a file that is still written to may be cut off. */
export function* jsonLines(text: string): Generator<Fields> {
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    if (isFields(value)) yield value;
  }
}
