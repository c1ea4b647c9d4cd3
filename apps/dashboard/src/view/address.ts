import { useSearch } from 'wouter';

/** Names of the parameters that stay when one goes from page to page. */
const CARRIED = ['policy'];

export type Parameters = Readonly<Record<string, string | undefined>>;

/** An address of a page with those parameters that have a value. */
export function addressOf(page: string, parameters: Parameters = {}): string {
  const entries = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  return entries.length === 0 ? page : `${page}?${new URLSearchParams(entries).toString()}`;
}

/** The parameters of the page's address. */
export function useParameters(): Parameters {
  return Object.fromEntries(new URLSearchParams(useSearch()));
}

/** What a link to another page takes along. */
export function carried(parameters: Parameters): Parameters {
  return Object.fromEntries(CARRIED.map((name) => [name, parameters[name]]));
}
