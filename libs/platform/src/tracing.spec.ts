import { trace } from '@opentelemetry/api';
import { traceparentFrom, traceparentOf, withTraceparent } from './tracing';

const NEW = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;

describe('the trace context', () => {
  it('is the caller’s where that is valid', () => {
    const given = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    expect(traceparentOf(given)).toBe(given);
    expect(traceparentOf([given, 'other'])).toBe(given);
  });

  it.each([
    undefined,
    '',
    'x',
    [[]],
    `01-${'a'.repeat(32)}-${'b'.repeat(16)}-00`,
    `00-${'A'.repeat(32)}-${'b'.repeat(16)}-00`,
  ])('is a new one for %j', (given) => {
    expect(traceparentOf(given as string | undefined)).toMatch(NEW);
  });

  it('is another one each time', () => {
    expect(traceparentOf(undefined)).not.toBe(traceparentOf(undefined));
  });
});

describe('a trace context of a record', () => {
  it('is the parent of what is done with the record, and comes back as it was', () => {
    for (const flags of ['00', '01']) {
      const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}`;
      const parent = trace.getSpanContext(withTraceparent(traceparent))!;
      expect(parent).toMatchObject({ isRemote: true });
      expect(traceparentFrom(parent)).toBe(traceparent);
    }
  });

  it.each([undefined, '', 'x', `00-${'a'.repeat(32)}-${'b'.repeat(16)}`])(
    'starts a trace where it is %j',
    (given) => {
      expect(trace.getSpanContext(withTraceparent(given))).toBeUndefined();
    },
  );
});
