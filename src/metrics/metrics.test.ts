import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { exposed } from './exposed.fixture.ts';
import { createMetrics } from './metrics.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('createMetrics', () => {
  it('wakes the process no more often than every 15 s', () => {
    const timers = jest.spyOn(globalThis, 'setInterval');
    createMetrics('0.1.0', { aheadMs: () => 0 });
    const intervals = timers.mock.calls.map(([, ms]) => ms);
    expect(intervals.filter((ms = 0) => ms < 15_000)).toEqual([]);
    expect(intervals).not.toEqual([]);
  });

  it('has default metrics of the process, and its own', async () => {
    const text = await exposed(createMetrics('0.1.0', { aheadMs: () => 1_500 }));
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).toContain('karmada_operator_build_info{version="0.1.0"} 1\n');
    expect(text).toContain('karmada_operator_clock_ahead_seconds 1.5\n');
  });
});
