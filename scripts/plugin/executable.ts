/** Builds the plugin as one executable file that needs no Node.js (a single-executable application). */
import { chmod, copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

/** Marker in the Node.js binary that tells it that a program is embedded (Node.js documentation, `sea`). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const POSTJECT = join(checkout, 'node_modules/postject/dist/cli.js');

/** A Node.js binary that the program is embedded into. */
export interface NodeBinary {
  readonly path: string;
  /**
   * True to add compiled code, so that the executable starts about 0.15 seconds faster. The binary must then run on this
   * machine, and the bytes of the executable differ between two builds.
   */
  readonly codeCache: boolean;
}

/**
 * Embeds a program into a copy of a Node.js binary. The binary may be one for another processor.
 * @param program CommonJS source
 * @param binary Node.js of the same version as the one that runs this function
 * @param target path of the executable
 */
export async function buildExecutable(
  program: string,
  binary: NodeBinary,
  target: string,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'karmada-plugin-'));
  const at = (name: string): string => join(directory, name);
  try {
    // Node.js wraps the source in a function, where the line for the shell is a syntax error.
    await writeFile(at('plugin.cjs'), program.replace(/^#!.*\n/, ''));
    const settings = {
      // The path is stored in the executable. A relative one does not depend on the machine.
      main: 'plugin.cjs',
      output: 'plugin.blob',
      disableExperimentalSEAWarning: true,
      useCodeCache: binary.codeCache,
    };
    await writeFile(at('sea.json'), JSON.stringify(settings));
    await run([process.execPath, '--experimental-sea-config', 'sea.json'], { cwd: directory });
    await copyFile(binary.path, at('plugin'));
    await chmod(at('plugin'), 0o755);
    // As a program of its own, because it prints warnings about sections of the binary that it does not change.
    const injection = [at('plugin'), 'NODE_SEA_BLOB', at('plugin.blob'), '--sentinel-fuse', FUSE];
    await run([process.execPath, POSTJECT, ...injection]);
    // The target may be on another file system, and may be running.
    await copyFile(at('plugin'), `${target}.partial`);
    await chmod(`${target}.partial`, 0o755);
    await rename(`${target}.partial`, target);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
