import { describe, expect, it } from '@jest/globals';
import { besideBuilds } from './beside.ts';

/** Ends at once if the signal is aborted, and otherwise when it will be. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(new Error('builds ended early'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });

describe('besideBuilds', () => {
  it('starts both at once and returns both results', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const results = besideBuilds(
      () => promise,
      () => {
        resolve('tools');
        return Promise.resolve('programs');
      },
    );
    await expect(results).resolves.toEqual(['tools', 'programs']);
  });

  it('ends the builds and throws the first error when the other fails', async () => {
    const fails = (): Promise<never> => Promise.reject(new Error('no package source'));
    await expect(besideBuilds(fails, aborted)).rejects.toThrow('no package source');
  });

  it('throws the error of the builds when the other has ended', async () => {
    const fails = (): Promise<never> => Promise.reject(new Error('go build failed'));
    const ended = besideBuilds(() => Promise.resolve(), fails);
    await expect(ended).rejects.toThrow('go build failed');
  });

  it('waits for the builds when the other fails', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let ended = false;
    const results = besideBuilds(
      () => Promise.reject(new Error('no package source')),
      () => promise,
    ).catch(() => void (ended = true));
    await new Promise((done) => setImmediate(done));
    expect(ended).toBe(false);
    resolve();
    await results;
    expect(ended).toBe(true);
  });
});
