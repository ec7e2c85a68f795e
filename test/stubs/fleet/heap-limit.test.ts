import { expect, it } from '@jest/globals';
import { heapFlags, memoryLimitOf } from './heap-limit.ts';

it('limits the heap to half of the memory limit of the chart', async () => {
  const limits = { memory: '1536Mi' };
  expect(memoryLimitOf({ operator: { resources: { limits } } })).toBe(1536);
  expect(await heapFlags(['--expose-gc', 'operator.mjs'])).toEqual([
    expect.stringMatching(/^--max-old-space-size=\d+$/),
  ]);
});

it.each(['--max-old-space-size=500', '--max-old-space-size-percentage=60', '--max-heap-size=500'])(
  'keeps the limit that the image sets with %s',
  async (flag) => {
    expect(await heapFlags([flag, 'operator.mjs'])).toEqual([]);
  },
);

it.each([{}, { operator: { resources: { limits: { memory: '2Gi' } } } }])(
  'rejects a chart without a limit in MiB',
  (values) => {
    expect(() => memoryLimitOf(values)).toThrow('memory limit of the chart');
  },
);
