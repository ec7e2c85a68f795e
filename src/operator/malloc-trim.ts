/**
 * Returns free memory of malloc to the kernel. glibc does that by itself only at the end of its heap: what connections and installations
 * have freed stays in the process between the blocks that last, and with many control planes that is most of the heap. The function
 * of glibc has no other caller in Node.js, and its module for foreign functions is experimental, so all works without it as well.
 */

interface Library {
  readonly functions: { malloc_trim(pad: bigint): number };
}

interface ForeignFunctions {
  dlopen(name: string, functions: object): Library;
}

const isForeignFunctions = (module: object | undefined): module is ForeignFunctions =>
  module !== undefined && 'dlopen' in module && typeof module.dlopen === 'function';

/**
 * Finds `malloc_trim` of glibc.
 * @param load returns a module of Node.js; undefined if there is none
 * @returns a function that trims the heap; it does nothing with another C library or another Node.js
 */
export function mallocTrim(
  load: (name: string) => object | undefined = (name) => process.getBuiltinModule(name),
): () => void {
  try {
    const module = load('node:ffi');
    if (!isForeignFunctions(module)) return () => undefined;
    const { functions } = module.dlopen('libc.so.6', {
      malloc_trim: { arguments: ['uint64'], return: 'int32' },
    });
    return () => void functions.malloc_trim(0n);
  } catch {
    return () => undefined;
  }
}
