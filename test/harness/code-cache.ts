/**
 * Cache of compiled code for jest, which compiles every module again for each test file. V8 itself caches neither
 * `vm.SourceTextModule` nor `vm.compileFunction`.
 */
import type vm from 'node:vm';

/** A source that was compiled at least once. */
interface Entry {
  compilations: number;
  /** Code cache of V8. */
  data: Buffer | undefined;
}

/** Creates a cache by source. A cache by path could return code of another version of the file. */
function createCache(): (source: string) => Entry {
  const entries = new Map<string, Entry>();
  return (source) => {
    const entry = entries.get(source) ?? { compilations: 0, data: undefined };
    entries.set(source, entry);
    entry.compilations += 1;
    return entry;
  };
}

/** Only the second compilation stores code: most large sources, such as compilers, are compiled once. */
const isStored = ({ compilations }: Entry): boolean => compilations === 2;

/** V8 rejects code that was compiled with other flags, which a test may set. */
const isRejection = (error: unknown): boolean =>
  error instanceof Error &&
  (error as NodeJS.ErrnoException).code === 'ERR_VM_MODULE_CACHED_DATA_REJECTED';

/** The types of Node.js lack this method of modules. */
const codeOf = (module: vm.SourceTextModule): Buffer =>
  (module as vm.SourceTextModule & Pick<vm.Script, 'createCachedData'>).createCachedData();

/** Returns the class with a cache. */
export function cachedModules(original: typeof vm.SourceTextModule): typeof vm.SourceTextModule {
  const entryOf = createCache();
  const construct = (
    target: typeof vm.SourceTextModule,
    [source, options]: [string, vm.SourceTextModuleOptions?],
    newTarget: NewableFunction,
  ): vm.SourceTextModule => {
    const create = (more: vm.SourceTextModuleOptions): vm.SourceTextModule =>
      Reflect.construct(target, [source, { ...options, ...more }], newTarget);
    const entry = entryOf(source);
    if (entry.data !== undefined) {
      try {
        return create({ cachedData: entry.data });
      } catch (error) {
        if (!isRejection(error)) throw error;
        entry.data = undefined;
      }
    }
    const module = create({});
    if (isStored(entry)) entry.data = codeOf(module);
    return module;
  };
  return new Proxy(original, { construct });
}

/** Returns the function with a cache. */
export function cachedFunctions(original: typeof vm.compileFunction): typeof vm.compileFunction {
  const caches = new Map<string, (source: string) => Entry>();
  return (source, parameters, options) => {
    const key = JSON.stringify(parameters);
    const entryOf = caches.get(key) ?? createCache();
    caches.set(key, entryOf);
    const entry = entryOf(source);
    const produceCachedData = isStored(entry);
    const compiled = original(source, parameters, {
      ...options,
      produceCachedData,
      ...(entry.data && { cachedData: entry.data }),
    });
    if (produceCachedData) entry.data = compiled.cachedData;
    return compiled;
  };
}
