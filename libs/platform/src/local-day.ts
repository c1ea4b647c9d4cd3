const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * The day of a moment in a time zone, `YYYY-MM-DD`.
 * @param at milliseconds since 1970
 * @param timeZone IANA name
 */
export function localDay(at: number, timeZone: string): string {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter.format(at);
}
