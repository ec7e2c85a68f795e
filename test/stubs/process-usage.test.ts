import { expect, it } from '@jest/globals';
import { parseMemory, parseProcessorSeconds } from './process-usage.ts';

it('reads the memory of a process in MiB from its status', () => {
  const status = 'Name:\tnode\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\nRssAnon:\t   51712 kB\n';
  expect(parseMemory(status)).toEqual({ resident: 100, anonymous: 50.5, peak: 200 });
});

it('reads the processor time of a process whose name contains spaces and parentheses', () => {
  const fields = ['S', ...Array.from({ length: 10 }, () => '7'), '1234', '66', '0'];
  expect(parseProcessorSeconds(`42 (a) b (c) ${fields.join(' ')}`)).toBe(13);
});
