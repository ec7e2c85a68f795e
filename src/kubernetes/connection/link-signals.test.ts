import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { linkSignals } from './link-signals.ts';

describe('linkSignals', () => {
  it('is aborted with the reason of the first aborted signal', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const { signal } = linkSignals(one.signal, undefined, other.signal);
    expect(signal?.aborted).toBe(false);
    other.abort('other');
    one.abort('one');
    expect(signal?.reason).toBe('other');
  });

  it('is aborted from the start when one of the signals is', () => {
    const ended = AbortSignal.abort('ended');
    expect(linkSignals(new AbortController().signal, ended).signal?.reason).toBe('ended');
  });

  it('returns the only signal itself, and none without one', () => {
    const { signal } = new AbortController();
    expect(linkSignals(undefined, signal).signal).toBe(signal);
    expect(linkSignals(undefined).signal).toBeUndefined();
  });

  it('leaves no listener behind after release', () => {
    const [term, call] = [new AbortController().signal, new AbortController().signal];
    const { release } = linkSignals(term, call);
    expect(getEventListeners(term, 'abort')).toHaveLength(1);
    release();
    expect(getEventListeners(term, 'abort')).toHaveLength(0);
  });
});
