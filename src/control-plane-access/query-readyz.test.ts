import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../kubernetes/time/clock.fixture.ts';
import { NetworkError } from '../kubernetes/client/errors.ts';
import { queryReadyz, type ReadinessTools } from './query-readyz.ts';

const clock = manualClock();
const network = (code: string): NetworkError => new NetworkError('get /readyz', code, code);
const found = (): Promise<unknown> => Promise.resolve('10.0.0.1');
const failing = (code: string) => (): Promise<unknown> =>
  Promise.reject(Object.assign(new Error(`getaddrinfo ${code} api.wrong.example`), { code }));

const ask = (answer: number | NetworkError, findName?: ReadinessTools['findName']) =>
  queryReadyz({
    clock,
    findName,
    client: {
      raw: () =>
        typeof answer === 'number'
          ? Promise.resolve({ status: answer, body: '' })
          : Promise.reject(answer),
    },
  });

describe('queryReadyz', () => {
  it.each<[string, Promise<unknown>, object | undefined]>([
    ['returns undefined when /readyz returns 200', ask(200), undefined],
    ['reports that the API server listens when /readyz returns 503', ask(503), { listens: true }],
    [
      'returns a problem when the Service name is not resolved',
      ask(network('ENOTFOUND')),
      { problem: unresolved() },
    ],
    [
      'returns a problem when the request times out and the Service name is not resolved',
      ask(network('TIMEOUT'), failing('EAI_AGAIN')),
      { problem: unresolved() },
    ],
    [
      'returns no problem when the request times out and the Service name is resolved',
      ask(network('TIMEOUT'), found),
      {},
    ],
    [
      'returns no problem when the request times out and the DNS lookup fails with another error',
      ask(network('TIMEOUT'), failing('EIO')),
      {},
    ],
    [
      'returns no problem when the request to a remote host cluster times out',
      ask(network('TIMEOUT')),
      {},
    ],
    [
      'returns no problem when the connection is refused',
      ask(network('ECONNREFUSED'), failing('ENOTFOUND')),
      {},
    ],
  ])('%s', async (_, isRequested, expected) => {
    const refusal = await isRequested;
    if (expected === undefined) return expect(refusal).toBeUndefined();
    expect(refusal).toEqual({ message: expect.any(String), ...expected });
  });

  it('returns after the timeout when the DNS server does not answer', async () => {
    const isRequested = ask(network('TIMEOUT'), () => new Promise(() => undefined));
    await settle();
    await clock.advance(1_000);
    expect(await isRequested).toEqual({ message: expect.stringContaining('unreachable') });
    expect(clock.pending()).toBe(0);
  });
});

function unresolved(): object {
  return {
    reason: 'NameNotResolved',
    message: expect.stringContaining('spec.hostCluster.networking.dnsDomain'),
  };
}
