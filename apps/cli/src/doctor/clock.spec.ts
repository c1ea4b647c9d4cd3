import { clockFinding } from './store-checks';

const NOW = Date.UTC(2026, 10, 30);

it.each([
  ['between our question and the answer', NOW + 50, 'ok'],
  ['ahead by less than half a minute', NOW + 20_000, 'ok'],
  ['ahead by a minute', NOW + 60_000, 'error'],
  ['behind by a minute', NOW - 60_000, 'error'],
])('a clock that is %s: %s', (_, clock, state) => {
  expect(clockFinding(clock, NOW, NOW + 100)).toMatchObject({ state });
});
