import { isDate } from 'node:util/types';
import { LineprintError } from '@lineprint/platform';
import type { SqlValue } from './database';

/** A parameter as both drivers take it: text, except that a lone byte string stays bytes. */
export type EncodedParameter = string | Uint8Array | null;

export function hexOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

function encodeScalar(value: string | number | bigint | boolean | Date | Uint8Array): string {
  if (isDate(value)) return value.toISOString();
  if (value instanceof Uint8Array) return hexOf(value);
  return String(value);
}

function encodeElement(value: string | number | bigint | boolean | null | Date | Uint8Array): string {
  if (value === null) return 'NULL';
  return `"${encodeScalar(value).replace(/[\\"]/g, '\\$&')}"`;
}

/** Encodes one parameter in Postgres' text format, so that both adapters send the same. */
export function encodeParameter(value: SqlValue): EncodedParameter {
  if (value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(',')}}`;
  return encodeScalar(value as string | number | bigint | boolean | Date);
}

function unreadable(type: string, text: string): LineprintError {
  return new LineprintError('sql-value-unreadable', `The ${type} ${text} has no exact JavaScript value`);
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw unreadable('int8', text);
  return value;
}

function parseNumeric(text: string): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(value)) throw unreadable('numeric', text);
  return value;
}

/** Both adapters' sessions run in UTC, so an offset is `+00`; others are read all the same. */
function parseTimestamp(text: string): Date {
  const iso = text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
  const date = new Date(/[+-]\d\d:\d\d$/.test(iso) ? iso : `${iso}Z`);
  if (Number.isNaN(date.getTime())) throw unreadable('timestamp', text);
  return date;
}

/** A plain Uint8Array over its own memory from offset 0, so that words can be read in place. */
function parseBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
}

const parseText = (text: string): string => text;
const parseBoolean = (text: string): boolean => text === 't';
const parseJson = (text: string): unknown => JSON.parse(text);

type ElementParser = (text: string) => unknown;

/** Reads a one-dimensional array literal. */
function arrayOf(parse: ElementParser): ElementParser {
  return (text) => {
    const items: unknown[] = [];
    const element = /"((?:[^"\\]|\\.)*)"|([^",{}]+)/gs;
    for (const [, quoted, bare] of text.matchAll(element)) {
      if (quoted !== undefined) items.push(parse(quoted.replace(/\\(.)/gs, '$1')));
      else items.push(bare === 'NULL' ? null : parse(bare ?? ''));
    }
    return items;
  };
}

/** [type, its array type, reader] by the object ids of Postgres' pg_type catalogue. */
const types: readonly (readonly [number, number, ElementParser])[] = [
  [16, 1000, parseBoolean],
  [17, 1001, parseBytes],
  [18, 1002, parseText], // "char"
  [19, 1003, parseText], // name
  [20, 1016, parseInt8],
  [21, 1005, Number], // int2
  [23, 1007, Number], // int4
  [25, 1009, parseText],
  [26, 1028, Number], // oid
  [114, 199, parseJson],
  [700, 1021, Number], // float4
  [701, 1022, Number], // float8
  [1042, 1014, parseText], // char(n)
  [1043, 1015, parseText], // varchar
  [1082, 1182, parseText], // date
  [1114, 1115, parseTimestamp],
  [1184, 1185, parseTimestamp],
  [1700, 1231, parseNumeric],
  [2950, 2951, parseText], // uuid
  [3802, 3807, parseJson], // jsonb
];

/** Reader of each type's text form by object id; a type that is not here stays text. */
const valueParsers: Readonly<Record<number, ElementParser>> = Object.fromEntries(
  types.flatMap(([type, array, parse]) => [
    [type, parse],
    [array, arrayOf(parse)],
  ]),
);

export function parserOf(type: number): ElementParser {
  return valueParsers[type] ?? parseText;
}
