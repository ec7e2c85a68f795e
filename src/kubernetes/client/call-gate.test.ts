import { describe, expect, it } from '@jest/globals';
import { manualClock, settle } from '../time/clock.fixture.ts';
import { CallGate, gated, type Reader } from './call-gate.ts';
import { resources } from '../objects/resources.ts';

function setUp(failure?: Error) {
  const calls: string[] = [];
  let failures = 0;
  const client: Reader = {
    list: () => {
      calls.push('list');
      return failure
        ? Promise.reject(failure)
        : Promise.resolve({ resourceVersion: '1', items: [] });
    },
    async *watch() {
      calls.push('watch');
      yield* await (failure ? Promise.reject(failure) : Promise.resolve([]));
    },
  };
  const gate = new CallGate(manualClock());
  return {
    calls,
    gate,
    reader: gated(client, gate, () => (failures += 1)),
    failed: () => failures,
  };
}

async function readAll(events: AsyncIterable<unknown>): Promise<void> {
  for await (const event of events) expect(event).toBeDefined();
}

describe('gated', () => {
  it('blocks calls while the gate is shut, and sends them when it opens', async () => {
    const { calls, gate, reader } = setUp();
    await reader.list(resources.Pod);
    gate.shut();
    const waiting = [
      reader.list(resources.Pod),
      readAll(reader.watch(resources.Pod, { resourceVersion: '1' })),
    ];
    await settle();
    expect(calls).toEqual(['list']);
    gate.open();
    await Promise.all(waiting);
    expect(calls).toEqual(['list', 'list', 'watch']);
  });

  it('releases a blocked call when its signal is aborted', async () => {
    const { calls, gate, reader } = setUp();
    gate.shut();
    const stop = new AbortController();
    const waiting = reader.list(resources.Pod, { signal: stop.signal });
    stop.abort();
    await waiting;
    expect(calls).toEqual(['list']);
  });

  it('calls onFailure when a list or watch fails', async () => {
    const { reader, failed } = setUp(new Error('gone'));
    await expect(reader.list(resources.Pod)).rejects.toThrow('gone');
    const events = reader.watch(resources.Pod, { resourceVersion: '1' });
    await expect(readAll(events)).rejects.toThrow('gone');
    expect(failed()).toBe(2);
  });
});
