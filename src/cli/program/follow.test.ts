import { describe, expect, it } from '@jest/globals';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { follow, type Progress } from './follow.ts';
import { safeOutput } from './safe-output.ts';

/** Follows the states, one a second. @param interruptedAfter number of reads before Ctrl-C */
async function followed(states: readonly Progress<string>[], interruptedAfter = Infinity) {
  const clock = manualClock();
  const interruption = new AbortController();
  let printed = '';
  let reads = 0;
  const read = (): Promise<Progress<string>> => {
    const state = states[Math.min(reads, states.length - 1)] ?? { text: '' };
    reads += 1;
    if (reads >= interruptedAfter) interruption.abort();
    return Promise.resolve(state);
  };
  const output = safeOutput({ write: (text) => void (printed += text), isTerminal: false });
  const following = follow({ output, clock, interrupted: interruption.signal }, read);
  let isOver = false;
  void following.finally(() => (isOver = true)).catch(() => undefined);
  for (let second = 0; second < 10 && !isOver; second += 1) await clock.advance(1_000);
  return { result: await following.catch(String), printed };
}

describe('follow', () => {
  it('prints each state once, and returns the result', async () => {
    const states = [{ text: 'a' }, { text: 'a' }, { text: 'b\n' }, { text: 'c', result: 'done' }];
    expect(await followed(states)).toEqual({ result: 'done', printed: 'a\nb \nc\n' });
  });

  it('ends with an error after Ctrl-C, because there is no result', async () => {
    expect(await followed([{ text: 'a' }], 2)).toEqual({
      result: 'CommandError: interrupted',
      printed: 'a\n',
    });
  });
});
