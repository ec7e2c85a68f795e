import { describe, expect, it } from '@jest/globals';

import { mergeFlags } from './flags.ts';

const COMMAND = ['/bin/thing', '--b=1', '--a=2', '--v=2'];

describe('mergeFlags', () => {
  it.each([
    ['keeps the command of the template when the user sets no flag', {}, {}, COMMAND],
    [
      'keeps the position of an overridden flag',
      { a: 'x' },
      {},
      ['/bin/thing', '--b=1', '--a=x', '--v=2'],
    ],
    ['appends new flags sorted by name', { z: '1', c: '2' }, {}, [...COMMAND, '--c=2', '--z=1']],
    ['accepts an empty value', { b: '' }, {}, ['/bin/thing', '--b=', '--a=2', '--v=2']],
    [
      'sorts feature gates',
      {},
      { B: false, A: true },
      [...COMMAND, '--feature-gates=A=true,B=false'],
    ],
    [
      'prefers the feature-gates flag over the feature gates field',
      { 'feature-gates': 'C=true' },
      { A: true },
      [...COMMAND, '--feature-gates=C=true'],
    ],
    [
      'accepts a value with equal signs',
      { a: 'b=c=d' },
      {},
      ['/bin/thing', '--b=1', '--a=b=c=d', '--v=2'],
    ],
    [
      'accepts a flag name that is a property of every JavaScript object',
      { constructor: 'x' },
      {},
      [...COMMAND, '--constructor=x'],
    ],
    [
      'sets a flag once for each line of its value',
      { a: 'x\ny\n', c: 'https://new\r\nhttps://old' },
      {},
      ['/bin/thing', '--b=1', '--a=x', '--a=y', '--v=2', '--c=https://new', '--c=https://old'],
    ],
  ])('%s', (_, extraArgs, gates, expected) => {
    expect(
      mergeFlags(COMMAND, { component: 'karmadaWebhook', extraArgs, featureGates: gates }),
    ).toEqual(expected);
  });
});
