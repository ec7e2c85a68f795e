/** Commands of a cluster that are shell scripts: Helm, which is built when it is called first, and the kubectl plugin. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryPath } from './binaries.ts';
import { checkout } from './paths.ts';
import { quote } from './quote.ts';

const node = [process.execPath, '--disable-warning=ExperimentalWarning'];

const words = (command: readonly string[]): string => command.map(quote).join(' ');

/**
 * Returns a script that runs a program, and builds it first if it is missing.
 * @param path program that may not exist yet
 * @param build command that builds it and prints its path
 */
export function buildOnDemand(path: string, build: readonly string[]): string {
  return [
    '#!/bin/sh',
    `program=${quote(path)}`,
    `[ -x "$program" ] || program=$(${words(build)}) || exit 1`,
    'exec "$program" "$@"',
    '',
  ].join('\n');
}

/** Writes the scripts into the `bin` folder of a cluster. */
export async function writeScripts(bin: string): Promise<void> {
  const build = [...node, join(checkout, 'tools/embedded-cluster/main.ts'), 'program', 'helm'];
  const plugin = [...node, join(checkout, 'scripts/cli.ts')];
  const scripts = {
    helm: buildOnDemand(await binaryPath('helm'), build),
    'kubectl-karmada_operator': `#!/bin/sh\nexec ${words(plugin)} "$@"\n`,
  };
  await mkdir(bin, { recursive: true });
  for (const [name, text] of Object.entries(scripts))
    await writeFile(join(bin, name), text, { mode: 0o755 });
}
