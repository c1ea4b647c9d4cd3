import { z } from 'zod';
import { acceptedAt, eventHeaders, jsonRecord, newEvent, parseJson } from './event';

const context = {
  id: 'e1',
  type: 'lineprint.commits.v1',
  source: '/lineprint/ingest',
  time: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  tenant: 'acme',
};
const following = {
  topic: 'lineprint.candidates.v1',
  key: 'acme/r',
  tenant: 'acme',
  source: 'commit-analyzer',
  value: {},
};
const shape = z.object({ name: z.string(), lines: z.array(z.object({ count: z.int() })) });

describe('an event', () => {
  it('says in its headers what CloudEvents asks for, and whose it is', () => {
    expect(eventHeaders(context)).toEqual({
      ce_specversion: '1.0',
      ce_id: 'e1',
      ce_type: 'lineprint.commits.v1',
      ce_source: '/lineprint/ingest',
      ce_time: '2026-01-02T03:04:05.006Z',
      lp_tenant: 'acme',
      'content-type': 'application/json',
    });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(eventHeaders({ ...context, traceparent })).toMatchObject({ traceparent });
  });

  it('counts its age from the door, however many events it follows from', () => {
    const fromDoor = { headers: eventHeaders(context), timestamp: 1 };
    const next = { ...newEvent({ ...following, cause: fromDoor }), timestamp: 2 };
    const last = { ...newEvent({ ...following, cause: next }), timestamp: 3 };
    expect([fromDoor, next, last].map(acceptedAt)).toEqual([context.time, context.time, context.time]);
    expect(acceptedAt({ headers: {}, timestamp: 4 })).toBe(4);
  });

  it('goes on with the trace of what it follows from', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(newEvent({ ...following, cause: { headers: { traceparent } } }).headers).toMatchObject({
      traceparent,
    });
  });

  it('comes back from its JSON', () => {
    const value = { name: 'ü', lines: [{ count: 1 }] };
    const record = jsonRecord('t', 'k', value, {});
    expect(parseJson(record, shape)).toEqual(value);
  });

  it('that has another shape is refused for good, by path and never by value', () => {
    const record = jsonRecord('t', 'k', { name: 'secret', lines: [{ count: 'secret' }] }, {});
    expect(() => parseJson(record, shape)).toThrow(
      expect.objectContaining({
        code: 'event-invalid',
        transient: false,
        message: expect.stringMatching(/lines\.0\.count/),
      }),
    );
    expect(() => parseJson(record, shape)).not.toThrow(/secret/);
  });

  it('that is not JSON is refused without quoting it', () => {
    const record = { value: Buffer.from('secret{') };
    expect(() => parseJson(record, shape)).toThrow(expect.objectContaining({ code: 'event-invalid' }));
    expect(() => parseJson(record, shape)).not.toThrow(/secret/);
  });
});
