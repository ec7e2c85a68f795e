import { describe, expect, it } from '@jest/globals';
import { mallocTrim } from './malloc-trim.ts';

describe('mallocTrim', () => {
  it('calls the function of glibc without room at the end of the heap', () => {
    const calls: unknown[] = [];
    const dlopen = (name: string, functions: object): object => ({
      functions: {
        malloc_trim: (pad: bigint) => {
          calls.push([name, Object.keys(functions), pad]);
          return 1;
        },
      },
    });
    const trim = mallocTrim(() => ({ dlopen }));
    expect(calls).toEqual([]);
    trim();
    expect(calls).toEqual([['libc.so.6', ['malloc_trim'], 0n]]);
  });

  it.each<[string, () => object | undefined]>([
    ['Node.js has no module for foreign functions', () => undefined],
    ['the module has another form', () => ({})],
    [
      'the C library has no such function',
      () => ({
        dlopen() {
          throw new Error('undefined symbol: malloc_trim');
        },
      }),
    ],
    [
      'the module is not allowed',
      () => {
        throw new Error('No such built-in module: node:ffi');
      },
    ],
  ])('does nothing when %s', (_, load) => {
    expect(mallocTrim(load)()).toBeUndefined();
  });

  it('works with this Node.js', () => {
    expect(mallocTrim()()).toBeUndefined();
  });
});
