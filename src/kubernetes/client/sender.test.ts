import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { NetworkError } from './errors.ts';
import { LongResponses } from './long-responses.ts';
import { Sender, type Call, type Wire } from './sender.ts';
import { LeaderTerm, LeaseLostError, TermEndedError } from '../time/term.ts';
import type { HttpAnswer } from './http.ts';

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

/** Sends a call against scripted responses. @returns its result, the number of requests, the wait and 401 resets */
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

describe('Sender', () => {
  it.each<[string, Partial<Call>, Step[], string, number]>([
    ['a successful read', {}, [answer(200)], 'ok 200', 1],
    ['a read with 429', {}, [answer(429, '1'), answer(200)], 'ok 200', 2],
    ['a write with 429', { repeatable: false }, [answer(429, '1'), answer(201)], 'ok 201', 2],
    ['a read with permanent 429', {}, [answer(429, '1')], 'answer 429', 4],
    ['429 with a long Retry-After', {}, [answer(429, '60'), answer(200)], 'answer 429', 1],
    ['429 without Retry-After', {}, [answer(429), answer(200)], 'answer 429', 1],
    ['a read with 503', {}, [answer(503, '1'), answer(200)], 'ok 200', 2],
    ['a write with 503', { repeatable: false }, [answer(503, '1'), answer(200)], 'answer 503', 1],
    ['a read with 500', {}, [answer(500, '1'), answer(200)], 'answer 500', 1],
    ['a read whose connection is reset', {}, [fault('ECONNRESET'), answer(200)], 'ok 200', 2],
    [
      'a write whose connection is reset',
      { repeatable: false },
      [fault('ECONNRESET'), answer(200)],
      'ECONNRESET',
      1,
    ],
    [
      'a write whose connection is refused',
      { repeatable: false },
      [fault('ECONNREFUSED'), answer(200)],
      'ok 200',
      2,
    ],
    ['a read with an incomplete response', {}, [halfAnAnswer, answer(200)], 'ok 200', 2],
    ['a write with an incomplete response', { repeatable: false }, [halfAnAnswer], 'incomplete', 1],
    ['a read with permanently incomplete responses', {}, [halfAnAnswer], 'incomplete', 4],
    [
      'a read with an empty response',
      {},
      [{ ...halfAnAnswer, body: '' }, answer(200)],
      'ok 200',
      2,
    ],
    ['a read whose connections are always refused', {}, [fault('ECONNREFUSED')], 'ECONNREFUSED', 4],
    ['a read that times out', {}, [fault('TIMEOUT'), answer(200)], 'TIMEOUT', 1],
    [
      'a read with an expired serving certificate',
      {},
      [fault('CERT_HAS_EXPIRED'), answer(200)],
      'CERT_HAS_EXPIRED',
      1,
    ],
    ['a read with one 401', {}, [answer(401), answer(200)], 'ok 200', 2],
    ['a read with permanent 401', {}, [answer(401)], 'answer 401', 2],
    ['a read with 409', {}, [answer(409), answer(200)], 'answer 409', 1],
    ['a watch with 429', { stream: true }, [answer(429, '1'), answer(200)], 'ok 200', 2],
    ['a watch with 403', { stream: true }, [answer(403)], 'streamed', 1],
  ])('sends %s the expected number of times', async (...[, call, steps, end, sent]) => {
    const seen = await play(steps, call);
    expect(seen.end).toContain(end);
    expect(seen.sent).toBe(sent);
  });

  it('waits for Retry-After, and rereads credentials after a 401', async () => {
    expect((await play([answer(429, '3'), answer(200)], {})).waited).toBeGreaterThanOrEqual(3_000);
    expect((await play([answer(401), answer(200)], {})).forgotten).toBe(1);
  });

  it('does not retry a call when the caller aborts it', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const seen = await play([fault('ECONNRESET'), answer(200)], { signal: stop.signal });
    expect(seen).toMatchObject({ end: 'Error: enough', sent: 1 });
  });
});

describe('Sender of long responses', () => {
  const call: Call = {
    ...{ method: 'GET', path: '/', headers: {}, timeoutMs: 1_000, description: 'get x' },
    ...{ repeatable: true, secret: false },
  };
  const bodyOf = (length: number): string =>
    JSON.stringify({ kind: 'Secret', text: 'x'.repeat(length) });

  /** @param run replaces the turns of the thread */
  function setUp(body: string, run?: <T>(work: () => T) => Promise<T>) {
    const clock = manualClock();
    const state = { turns: 0, inMemory: 0, most: 0 };
    const inTurn = run ?? (<T>(work: () => T) => Promise.resolve(work()));
    const thread = {
      run: <T>(work: () => T): Promise<T> => {
        state.turns += 1;
        return inTurn(work);
      },
    };
    const wire: Wire = {
      async send({ reading }) {
        await reading?.add(body.length);
        state.inMemory += 1;
        state.most = Math.max(state.most, state.inMemory);
        return { status: 200, headers: {}, body };
      },
      open: () => Promise.reject(new Error('no stream')),
      forgetCredentials: () => undefined,
    };
    const beginOne = new LongResponses({ clock, thread }).of('https://host');
    const begin = () => {
      const reading = beginOne();
      const end = reading.end.bind(reading);
      reading.end = (): void => {
        state.inMemory -= 1;
        end();
      };
      return reading;
    };
    return { sender: new Sender(wire, clock, { begin }), state };
  }

  it.each([
    ['short', 1_000, 0],
    ['long', 300_000, 1],
  ])('parses a %s response with %i characters in %i turns', async (_, length, expected) => {
    const { sender, state } = setUp(bodyOf(length));
    expect((await sender.send(call)).content).toMatchObject({ kind: 'Secret' });
    expect(state.turns).toBe(expected);
  });

  it('rejects a long response that is not JSON', async () => {
    const later = <T>(work: () => T): Promise<T> => Promise.resolve().then(work);
    const { sender } = setUp('x'.repeat(300_000), later);
    await expect(sender.send({ ...call, repeatable: false })).rejects.toThrow(NetworkError);
    const next = sender.send({ ...call, repeatable: false });
    await expect(next).rejects.toThrow(NetworkError);
  });

  it.each<[string, number, (sender: Sender) => Promise<unknown>, number]>([
    ['at most 2 long responses of a server', 1_000_000, (sender) => sender.send(call), 2],
    ['at most 2 long responses that it does not parse', 1_000_000, (sender) => sender.raw(call), 2],
    ['all short responses', 1_000, (sender) => sender.send(call), 32],
  ])('has %s in memory', async (_, length, send, expected) => {
    const { sender, state } = setUp(bodyOf(length), async (work) => {
      await settle();
      return work();
    });
    await Promise.all(Array.from({ length: 32 }, () => send(sender)));
    expect(state.most).toBe(expected);
  });
});

describe('Sender in the term of a leader', () => {
  const call: Call = {
    method: 'GET',
    path: '/x',
    timeoutMs: 1_000,
    description: 'x',
    repeatable: true,
    secret: false,
  };

  /** A server that answers no call; a call fails when its signal is aborted. */
  const silent: Wire = {
    send: ({ signal }) =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
    open: () => Promise.reject(new Error('not used')),
    forgetCredentials: () => undefined,
  };

  it('ends each call with the term, and adds no listener to the signal that all calls share', async () => {
    const clock = manualClock();
    const term = new LeaderTerm(clock);
    const sender = new Sender(silent, clock, { term });
    const own = new AbortController();
    const calls = [sender.send(call), sender.send({ ...call, signal: own.signal })];
    const results = Promise.allSettled(calls);
    await settle();
    expect(getEventListeners(term.signal, 'abort')).toEqual([]);
    term.end(new LeaseLostError('held by another process'));
    const reason = { status: 'rejected', reason: expect.any(LeaseLostError) };
    expect(await results).toEqual([reason, reason]);
    expect(getEventListeners(own.signal, 'abort')).toEqual([]);
  });

  it('ends a call with the signal of its caller, and one that comes after the term at once', async () => {
    const clock = manualClock();
    const term = new LeaderTerm(clock);
    const sender = new Sender(silent, clock, { term });
    const own = new AbortController();
    const sent = sender.send({ ...call, signal: own.signal });
    await settle();
    own.abort(new Error('no longer needed'));
    await expect(sent).rejects.toThrow('no longer needed');
    term.end(new TermEndedError('the operator stops'));
    const signals: (AbortSignal | undefined)[] = [];
    const wire: Wire = {
      ...silent,
      send: ({ signal }) => {
        signals.push(signal);
        return Promise.reject(signal?.reason as Error);
      },
    };
    await expect(new Sender(wire, clock, { term }).send(call)).rejects.toThrow(
      'the operator stops',
    );
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});
