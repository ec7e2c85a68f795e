// Jest environment that gives each test file a folder of its own for temporary files, and removes it at the end. Test files
// of a process share compiled code.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { cachedFunctions, cachedModules } from './code-cache.ts';

// Jest looks both up in each call.
vm.SourceTextModule = cachedModules(vm.SourceTextModule);
vm.compileFunction = cachedFunctions(vm.compileFunction);

/** Creates a folder for temporary files in the one that is set, and sets it instead. Returns a function that undoes that. */
function createFolder() {
  const former = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), 'karmada-test-'));
  // Programs that a test starts as another user need a way into the folders within.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => {
    if (former === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = former;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

export default class TemporaryFolderEnvironment extends TestEnvironment {
  #remove;

  constructor(config, context) {
    // The environment copies the variables of the process when it is created.
    const remove = createFolder();
    super(config, context);
    this.#remove = remove;
  }

  async teardown() {
    await super.teardown();
    this.#remove();
  }
}
