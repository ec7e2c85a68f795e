import vm from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { cachedFunctions, cachedModules } from './code-cache.ts';

/** A class that records which of its modules had cached code, and that rejects it if it is told so. */
function recordedModules(): {
  Module: typeof vm.SourceTextModule;
  cached: boolean[];
  reject: (error: Error) => void;
} {
  const cached: boolean[] = [];
  let rejection: Error | undefined;
  class Module extends vm.SourceTextModule {
    constructor(source: string, options?: vm.SourceTextModuleOptions) {
      if (options?.cachedData !== undefined && rejection) throw rejection;
      cached.push(options?.cachedData !== undefined);
      super(source, options);
    }
  }
  return { Module: cachedModules(Module), cached, reject: (error) => (rejection = error) };
}

/** Evaluates a module without imports. */
async function exportsOf(module: vm.SourceTextModule): Promise<Record<string, unknown>> {
  await module.link(() => Promise.reject(new Error('no imports')));
  await module.evaluate();
  return { ...module.namespace };
}

const SOURCE = 'export const where = new Error().stack; export const two = 1 + 1;';

describe('cachedModules', () => {
  it('uses the code of the second compilation from the third one on', async () => {
    const { Module, cached } = recordedModules();
    for (const identifier of ['a.js', 'b.js', 'c.js', 'd.js']) {
      const { two, where } = await exportsOf(new Module(SOURCE, { identifier }));
      expect(two).toBe(2);
      // Each module keeps its own path, although they have the same code.
      expect(where).toContain(`${identifier}:1`);
    }
    expect(cached).toEqual([false, false, true, true]);
  });

  it('compiles a changed source again when the identifier is the same', async () => {
    const { Module } = recordedModules();
    const identifier = 'a.js';
    for (let count = 0; count < 3; count += 1)
      new Module('export const value = 1;', { identifier });
    const changed = new Module('export const value = 2;', { identifier });
    expect(await exportsOf(changed)).toEqual({ value: 2 });
  });

  it('compiles again when V8 rejects the code', async () => {
    const { Module, cached, reject } = recordedModules();
    new Module(SOURCE);
    new Module(SOURCE);
    reject(Object.assign(new Error('rejected'), { code: 'ERR_VM_MODULE_CACHED_DATA_REJECTED' }));
    expect(await exportsOf(new Module(SOURCE))).toMatchObject({ two: 2 });
    new Module(SOURCE);
    expect(cached).toEqual([false, false, false, false]);
  });

  it('throws other errors', () => {
    const { Module, reject } = recordedModules();
    new Module(SOURCE);
    new Module(SOURCE);
    reject(new Error('another error'));
    expect(() => new Module(SOURCE)).toThrow('another error');
    expect(() => new Module('export const = 1')).toThrow('Unexpected token');
  });

  it('creates instances of the class', () => {
    const { Module } = recordedModules();
    expect(new Module(SOURCE)).toBeInstanceOf(vm.SourceTextModule);
    expect(new Module(SOURCE)).toBeInstanceOf(Module);
  });
});

describe('cachedFunctions', () => {
  it('uses the code of the second compilation from the third one on, for the same parameters', () => {
    const cached: boolean[] = [];
    const compile = cachedFunctions((source, parameters, options) => {
      const compiled = vm.compileFunction(source, parameters, options);
      cached.push(compiled.cachedDataRejected === false);
      return compiled;
    });
    const difference = (parameters: string[]): unknown => compile('return a - b', parameters)(3, 1);
    for (let count = 0; count < 3; count += 1) expect(difference(['a', 'b'])).toBe(2);
    expect(difference(['b', 'a'])).toBe(-2);
    expect(cached).toEqual([false, false, true, false]);
  });
});
