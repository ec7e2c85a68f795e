// Jest environment of the cluster suites. It collects diagnostics when a test fails, before the next hook or test
// runs.
import { collectDiagnostics } from './diagnostics.ts';
import TemporaryFolderEnvironment from './temporary-folder.mjs';

const failures = new Set(['test_fn_failure', 'hook_failure']);

export default class ClusterEnvironment extends TemporaryFolderEnvironment {
  async handleTestEvent(event) {
    if (!failures.has(event.name) || process.getuid() !== 0) return;
    const names = [];
    for (let block = event.test ?? event.hook?.parent; block?.parent; block = block.parent) {
      names.unshift(block.name);
    }
    try {
      const directory = await collectDiagnostics(
        names.join(' ') || 'hook',
        String(event.error?.stack ?? event.error),
      );
      process.stderr.write(`diagnostics: ${directory}\n`);
    } catch (error) {
      process.stderr.write(`no diagnostics: ${error}\n`);
    }
  }
}
