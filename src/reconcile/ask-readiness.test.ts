import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../kubernetes/clock.fixture.ts';
import { NetworkError } from '../kubernetes/errors.ts';
import { askReadiness, type ReadinessTools } from './ask-readiness.ts';

const clock = manualClock();
const network = (code: string): NetworkError => new NetworkError('get /readyz', code, code);
const found = (): Promise<unknown> => Promise.resolve('10.0.0.1');
const failing = (code: string) => (): Promise<unknown> =>
  Promise.reject(Object.assign(new Error(`getaddrinfo ${code} api.wrong.example`), { code }));

const ask = (answer: number | NetworkError, findName?: ReadinessTools['findName']) =>
  askReadiness({
    clock,
    findName,
    client: {
      raw: () =>
        typeof answer === 'number'
          ? Promise.resolve({ status: answer, body: '' })
          : Promise.reject(answer),
    },
  });

describe('asking an API server whether it is ready', () => {
  it.each<[string, Promise<unknown>, object | undefined]>([
    ['that is ready', ask(200), undefined],
    ['that says it is not', ask(503), { listens: true }],
    ['whose name is unknown', ask(network('ENOTFOUND')), { problem: unresolved() }],
    [
      'that hangs, whose name is unknown',
      ask(network('TIMEOUT'), failing('EAI_AGAIN')),
      { problem: unresolved() },
    ],
    ['that hangs, whose name is known', ask(network('TIMEOUT'), found), {}],
    [
      'that hangs, when the name server fails otherwise',
      ask(network('TIMEOUT'), failing('EIO')),
      {},
    ],
    ['that hangs in another cluster', ask(network('TIMEOUT')), {}],
    ['that refuses the connection', ask(network('ECONNREFUSED'), failing('ENOTFOUND')), {}],
  ])('%s', async (_, asked, expected) => {
    const refusal = await asked;
    if (expected === undefined) return expect(refusal).toBeUndefined();
    expect(refusal).toEqual({ message: expect.any(String), ...expected });
  });

  it('waits for no silent name server', async () => {
    const asked = ask(network('TIMEOUT'), () => new Promise(() => undefined));
    await settle();
    await clock.advance(1_000);
    expect(await asked).toEqual({ message: expect.stringContaining('cannot be reached') });
    expect(clock.pending()).toBe(0);
  });
});

function unresolved(): object {
  return {
    reason: 'NameNotResolved',
    message: expect.stringContaining('spec.hostCluster.networking.dnsDomain'),
  };
}
