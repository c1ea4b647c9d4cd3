import { Polling } from './polling';

describe('polling', () => {
  it('works on while there may be more, waits after a failure, and tells of it', async () => {
    const errors: unknown[] = [];
    const answers = [() => true, () => true, () => Promise.reject(new Error('down')), () => false];
    let calls = 0;
    await new Promise<void>((done) => {
      const polling = new Polling({
        work: async () => {
          const answer = answers[calls++];
          if (answer) return answer();
          void polling.stop().then(done);
          return false;
        },
        idleMs: 1,
        onError: (error) => errors.push(error),
      });
      polling.start();
    });
    expect(calls).toBe(answers.length + 1);
    expect(errors).toEqual([new Error('down')]);
  });

  it('ends its wait and its work when it is stopped, and does not call that a failure', async () => {
    const errors: unknown[] = [];
    let started = 0;
    const polling = new Polling({
      work: (signal) => {
        if (started++ === 0) return Promise.resolve(false);
        return new Promise((_, failed) => {
          signal.addEventListener('abort', () => failed(new Error('ended')));
        });
      },
      idleMs: 1_000_000,
      onError: (error) => errors.push(error),
    });
    polling.start();
    polling.start();
    expect(started).toBe(2);
    await polling.stop();
    expect(errors).toEqual([]);
  });
});
