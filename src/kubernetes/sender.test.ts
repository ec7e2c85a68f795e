import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from './clock.fixture.ts';
import { NetworkError } from './errors.ts';
import { Sender, type Call, type Wire } from './sender.ts';
import type { HttpAnswer } from './transport.ts';

type Step = HttpAnswer | NetworkError;

function answer(status: number, retryAfter?: string): HttpAnswer {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { status, headers, body: JSON.stringify({ kind: 'Status', message: `answer ${status}` }) };
}

const halfAnAnswer: HttpAnswer = {
  status: 200,
  headers: {},
  body: '{"kind":"Secret","data":{"a":"aHVu',
};

function fault(code: string): NetworkError {
  return new NetworkError('x', code, code);
}

/** Plays the steps one after the other and gives what the caller saw, how often, and after how long. */
async function play(
  steps: Step[],
  call: Partial<Call>,
): Promise<{ end: string; sent: number; waited: number; forgotten: number }> {
  const clock = manualClock();
  let sent = 0;
  let forgotten = 0;
  const next = (): Promise<HttpAnswer> => {
    const step = steps[Math.min(sent, steps.length - 1)];
    sent += 1;
    return step instanceof NetworkError
      ? Promise.reject(step)
      : Promise.resolve(step ?? answer(200));
  };
  const wire: Wire = {
    send: next,
    open: async () => ({
      ...(await next()),
      chunks: (async function* (): AsyncGenerator<Uint8Array> {
        await settle();
        yield Buffer.from('{"kind":"Status","message":"streamed"}');
      })(),
      close: () => undefined,
      suspect: () => undefined,
    }),
    forgetCredentials: () => {
      forgotten += 1;
    },
  };
  const sender = new Sender(wire, clock);
  const full: Call = {
    method: 'GET',
    path: '/x',
    timeoutMs: 1,
    description: 'x',
    repeatable: true,
    secret: false,
    ...call,
  };
  let end = '';
  const sending = call.stream === true ? sender.open(full) : sender.send(full);
  const finished = sending.then(
    (found) => (end = `ok ${found.status}`),
    (error: unknown) => (end = String(error)),
  );
  let waited = 0;
  for (; end === '' && waited < 60_000; waited += 50) {
    await clock.advance(50);
  }
  await finished;
  return { end, sent, waited, forgotten };
}

describe('what is sent again', () => {
  it.each<[string, Partial<Call>, Step[], string, number]>([
    ['an answer', {}, [answer(200)], 'ok 200', 1],
    ['429 of a read', {}, [answer(429, '1'), answer(200)], 'ok 200', 2],
    ['429 of a write', { repeatable: false }, [answer(429, '1'), answer(201)], 'ok 201', 2],
    ['429 for ever', {}, [answer(429, '1')], 'answer 429', 4],
    ['429 with a long pause', {}, [answer(429, '60'), answer(200)], 'answer 429', 1],
    ['429 without a pause', {}, [answer(429), answer(200)], 'answer 429', 1],
    ['503 of a read', {}, [answer(503, '1'), answer(200)], 'ok 200', 2],
    ['503 of a write', { repeatable: false }, [answer(503, '1'), answer(200)], 'answer 503', 1],
    ['500', {}, [answer(500, '1'), answer(200)], 'answer 500', 1],
    ['a reset read', {}, [fault('ECONNRESET'), answer(200)], 'ok 200', 2],
    ['a reset write', { repeatable: false }, [fault('ECONNRESET'), answer(200)], 'ECONNRESET', 1],
    ['a refused write', { repeatable: false }, [fault('ECONNREFUSED'), answer(200)], 'ok 200', 2],
    ['half an answer of a read', {}, [halfAnAnswer, answer(200)], 'ok 200', 2],
    ['half an answer of a write', { repeatable: false }, [halfAnAnswer], 'not whole', 1],
    ['half an answer for ever', {}, [halfAnAnswer], 'not whole', 4],
    ['an empty answer', {}, [{ ...halfAnAnswer, body: '' }, answer(200)], 'ok 200', 2],
    ['refused for ever', {}, [fault('ECONNREFUSED')], 'ECONNREFUSED', 4],
    ['a timeout', {}, [fault('TIMEOUT'), answer(200)], 'TIMEOUT', 1],
    ['a wrong certificate', {}, [fault('CERT_HAS_EXPIRED'), answer(200)], 'CERT_HAS_EXPIRED', 1],
    ['401 once', {}, [answer(401), answer(200)], 'ok 200', 2],
    ['401 for ever', {}, [answer(401)], 'answer 401', 2],
    ['409', {}, [answer(409), answer(200)], 'answer 409', 1],
    ['a watch with 429', { stream: true }, [answer(429, '1'), answer(200)], 'ok 200', 2],
    ['a refused watch', { stream: true }, [answer(403)], 'streamed', 1],
  ])('%s', async (...[, call, steps, end, sent]) => {
    const seen = await play(steps, call);
    expect(seen.end).toContain(end);
    expect(seen.sent).toBe(sent);
  });

  it('waits as long as asked, and reads credentials anew after a 401', async () => {
    expect((await play([answer(429, '3'), answer(200)], {})).waited).toBeGreaterThanOrEqual(3_000);
    expect((await play([answer(401), answer(200)], {})).forgotten).toBe(1);
  });

  it('a cancelled call is not repeated', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const seen = await play([fault('ECONNRESET'), answer(200)], { signal: stop.signal });
    expect(seen).toMatchObject({ end: 'Error: enough', sent: 1 });
  });
});
