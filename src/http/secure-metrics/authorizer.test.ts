import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../../kubernetes/time/clock.fixture.ts';
import type { CallOptions, KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { ScrapeAuthorizer } from './authorizer.ts';

interface Review {
  readonly kind: string;
  readonly spec: { readonly token?: string };
}

/** An authorizer whose API server accepts the tokens `scraper…`, rejects `bad…`, and does not answer for others. */
function setUp() {
  const clock = manualClock();
  const pending = new Set<object>();
  let reviews = 0;
  const create = (review: Review, { signal }: CallOptions = {}): Promise<object> => {
    const { kind, spec } = review;
    if (kind === 'TokenReview') reviews += 1;
    if (kind === 'SubjectAccessReview') return Promise.resolve({ status: { allowed: true } });
    if (spec.token?.startsWith('scraper') === true)
      return Promise.resolve({ status: { authenticated: true } });
    if (spec.token?.startsWith('bad') === true) return Promise.resolve({ status: {} });
    return new Promise((_, reject) => {
      pending.add(review);
      signal?.addEventListener('abort', () => {
        pending.delete(review);
        reject(new Error('aborted'));
      });
    });
  };
  const client = { create } as unknown as KubernetesClient;
  const authorizer = new ScrapeAuthorizer({ client, clock, log: memoryLog() });
  const ask = (token: string, address = '10.0.0.1', gone?: AbortSignal) =>
    authorizer.verdict('/metrics', `Bearer ${token}`, { address, ...(gone && { gone }) });
  return { clock, pending, ask, reviews: () => reviews };
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

describe('ScrapeAuthorizer', () => {
  it('reviews at most 6 unknown tokens at once, each for at most 5 s', async () => {
    const { clock, pending, ask } = setUp();
    const verdicts = numbers(1_000).map((n) => ask(`guess${n}`, `10.0.0.${n % 250}`));
    expect(await Promise.all(verdicts.slice(6))).toEqual(Array(994).fill(503));
    expect(pending.size).toBe(6);
    await clock.advance(5_000);
    expect(await Promise.all(verdicts)).toEqual(Array(1_000).fill(503));
    expect([pending.size, clock.pending()]).toEqual([0, 0]);
  });

  it.each([
    ['an IPv4 address', '10.0.0.1', '10.0.0.1', '10.0.0.2'],
    ['an IPv4 address in IPv6', '::ffff:10.0.0.1', '10.0.0.1', '::ffff:10.0.0.2'],
    ['a /64 network of IPv6', 'fd00::1', 'fd00::2:1', 'fd00:0:0:1::1'],
  ])('reviews two unknown tokens of %s at once, and those of another client', async (...given) => {
    const [, address, same, other] = given;
    const { pending, ask } = setUp();
    const refused = numbers(100).map((n) => ask(`guess${n}`, n % 2 === 0 ? address : same));
    expect(await Promise.all(refused.slice(2))).toEqual(Array(98).fill(503));
    expect(pending.size).toBe(2);
    expect(await ask('scraper', other)).toBe(200);
  });

  it('keeps an accepted token for a minute while other clients send many invalid ones', async () => {
    const { clock, ask, reviews } = setUp();
    expect(await ask('scraper')).toBe(200);
    for (const n of numbers(200)) expect(await ask(`bad${n}`)).toBe(401);
    await clock.advance(59_999);
    const before = reviews();
    expect([await ask('scraper'), reviews()]).toEqual([200, before]);
    await clock.advance(1);
    expect([await ask('scraper'), reviews()]).toEqual([200, before + 1]);
  });

  it('reviews a token that was accepted within 10 minutes while unknown ones use all their slots', async () => {
    const { clock, ask } = setUp();
    expect(await ask('scraper')).toBe(200);
    await clock.advance(599_999);
    const guess = () => numbers(100).map((n) => ask(`guess${n}`, `10.0.0.${n}`));
    void guess();
    expect(await ask('scraper')).toBe(200);
    await clock.advance(600_000);
    void guess();
    expect(await ask('scraper')).toBe(503);
  });

  describe('while 3 addresses fill the slots of unknown tokens', () => {
    const flooded = async (address: string) => {
      const scene = setUp();
      expect(await scene.ask('scraper', address)).toBe(200);
      const flood = () => numbers(60).map((n) => scene.ask(`guess${n}`, `10.0.0.${n % 3}`));
      return { ...scene, flood };
    };

    it.each([
      ['an IPv4 address', '10.0.9.1', '::ffff:10.0.9.1'],
      ['a /64 network of IPv6', 'fd00::1', 'fd00::2'],
    ])('reviews 60 of 60 new tokens of a scraper of %s', async (_, address, same) => {
      const { ask, flood } = await flooded(address);
      void flood();
      const verdicts = [];
      for (const n of numbers(60)) verdicts.push(await ask(`scraper${n}`, same));
      expect(verdicts).toEqual(Array(60).fill(200));
    });

    it('reviews one new token of such a network at a time', async () => {
      const { ask, flood, pending } = await flooded('10.0.9.1');
      void flood();
      void ask('silent', '10.0.9.1');
      expect(pending.size).toBe(7);
      expect(await ask('scraper1', '10.0.9.1')).toBe(503);
      expect(await ask('scraper', '10.0.9.1')).toBe(200);
    });

    it('reviews no new token of a network from which none was accepted for 10 minutes', async () => {
      const { clock, ask, flood } = await flooded('10.0.9.1');
      await clock.advance(599_999);
      void flood();
      expect(await ask('scraper1', '10.0.9.2')).toBe(503);
      expect(await ask('scraper1', '10.0.9.1')).toBe(200);
      await clock.advance(600_000);
      void flood();
      expect(await ask('scraper2', '10.0.9.1')).toBe(503);
    });

    it('reserves slots for the 8 networks of the last accepted tokens', async () => {
      const { ask, flood, pending } = await flooded('10.0.9.0');
      for (const n of numbers(9)) expect(await ask('scraper', `10.0.9.${n}`)).toBe(200);
      void flood();
      const verdicts = numbers(9).map((n) => ask(`silent${n}`, `10.0.9.${n}`));
      expect(await verdicts[0]).toBe(503);
      expect(pending.size).toBe(6 + 8);
    });
  });

  it('ends a review when all its clients have closed their connections', async () => {
    const { pending, ask } = setUp();
    const [one, other] = [new AbortController(), new AbortController()];
    const verdicts = [one, other].map(({ signal }) => ask('silent', '10.0.0.1', signal));
    one.abort();
    await settle();
    expect(pending.size).toBe(1);
    other.abort();
    await settle();
    expect([pending.size, await Promise.all(verdicts)]).toEqual([0, [503, 503]]);
  });
});
