import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../kubernetes/clock.fixture.ts';
import type { CallOptions, KubernetesClient } from '../kubernetes/client-interface.ts';
import { ScrapeAuthorizer } from './authorizer.ts';

/** An authorizer whose API server does not answer. */
function setUp() {
  const clock = manualClock();
  const pending = new Set<object>();
  const create = (review: object, { signal }: CallOptions = {}): Promise<never> =>
    new Promise((_, reject) => {
      pending.add(review);
      signal?.addEventListener('abort', () => {
        pending.delete(review);
        reject(new Error('aborted'));
      });
    });
  const client = { create } as unknown as KubernetesClient;
  const authorizer = new ScrapeAuthorizer({ client, clock, log: memoryLog() });
  const ask = (token: string, gone?: AbortSignal) =>
    authorizer.verdict('/metrics', `Bearer ${token}`, gone);
  return { clock, pending, ask };
}

const tokens = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `guess${index}`);

describe('ScrapeAuthorizer', () => {
  it('reviews at most 8 tokens at once, each for at most 5 s', async () => {
    const { clock, pending, ask } = setUp();
    const verdicts = tokens(1_000).map((token) => ask(token));
    expect(await Promise.all(verdicts.slice(8))).toEqual(Array(992).fill(503));
    expect(pending.size).toBe(8);
    await clock.advance(5_000);
    expect(await Promise.all(verdicts)).toEqual(Array(1_000).fill(503));
    expect([pending.size, clock.pending()]).toEqual([0, 0]);
  });

  it('ends a review when all its clients have closed their connections', async () => {
    const { pending, ask } = setUp();
    const [one, other] = [new AbortController(), new AbortController()];
    const verdicts = [ask('scraper', one.signal), ask('scraper', other.signal)];
    one.abort();
    await settle();
    expect(pending.size).toBe(1);
    other.abort();
    await settle();
    expect([pending.size, await Promise.all(verdicts)]).toEqual([0, [503, 503]]);
  });
});
