/** Folders of Go modules. */
import { fields, isText } from '../../src/untrusted/checks.ts';
import { run } from './command.ts';
import { parseJson } from './parse-json.ts';
import { goEnvironment, goVersion } from './toolchain.ts';

const isModule = fields({ Dir: isText });

/**
 * Returns the folder of a Go module. Downloads it if the Go module cache does not have it.
 * @param module with `@version`, or without it in the version that the main module requires
 * @param cwd folder of the main module
 */
export async function goModule(module: string, cwd = '/'): Promise<string> {
  await goVersion();
  const download = ['go', 'mod', 'download', '-json', module];
  const text = await run(download, { cwd, env: goEnvironment() });
  return parseJson(text, isModule, download.join(' ')).Dir;
}
