import { describe, expect, it } from '@jest/globals';

import { mergeFlags } from './flags.ts';

const COMMAND = ['/bin/thing', '--b=1', '--a=2', '--v=2'];

describe('extraArgs and feature gates', () => {
  it.each([
    ['nothing given: the order of the template', {}, {}, COMMAND],
    ['an override keeps its place', { a: 'x' }, {}, ['/bin/thing', '--b=1', '--a=x', '--v=2']],
    ['new flags follow, sorted', { z: '1', c: '2' }, {}, [...COMMAND, '--c=2', '--z=1']],
    ['an empty value', { b: '' }, {}, ['/bin/thing', '--b=', '--a=2', '--v=2']],
    ['gates, sorted', {}, { B: false, A: true }, [...COMMAND, '--feature-gates=A=true,B=false']],
    [
      'gates given as a flag outweigh gates',
      { 'feature-gates': 'C=true' },
      { A: true },
      [...COMMAND, '--feature-gates=C=true'],
    ],
    ['a value with equal signs', { a: 'b=c=d' }, {}, ['/bin/thing', '--b=1', '--a=b=c=d', '--v=2']],
    [
      'a name like a property of all objects',
      { constructor: 'x' },
      {},
      [...COMMAND, '--constructor=x'],
    ],
  ])('%s', (_, extraArgs, gates, expected) => {
    expect(mergeFlags(COMMAND, extraArgs, gates)).toEqual(expected);
  });
});
