import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { containerSettings } from '../../../scripts/image/operator.ts';
import { checkout } from '../../embedded-cluster/paths.ts';
import type { BackupProcessResult, BackupProcessSettings } from './settings.ts';

/** Bundles the program into a folder, like the operator, and returns its path. */
export async function bundleBackupProcess(folder: string): Promise<string> {
  const outfile = join(folder, 'backup-process.mjs');
  await build({
    ...{ entryPoints: [join(checkout, 'test/harness/backup-process/program.ts')], outfile },
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node24', minify: true },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}

export interface BackupProcess {
  readonly child: ChildProcess;
  /** Resolves when the process has ended; undefined if it was killed. @throws Error with its output if it failed */
  readonly ended: Promise<BackupProcessResult | undefined>;
}

/** Starts the program with the flags and environment of the image. */
export function startBackupProcess(
  program: string,
  settings: BackupProcessSettings,
): BackupProcess {
  const [, ...entry] = containerSettings.entrypoint;
  const child = spawn(process.execPath, [...entry.slice(0, -1), program], {
    env: { ...process.env, ...containerSettings.environment, NODE_OPTIONS: '' },
  });
  child.stdin.end(JSON.stringify(settings));
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const ended = output.then(([stdout, stderr, [code, signal]]) => {
    if (signal === 'SIGKILL') return undefined;
    if (code !== 0) throw new Error(`the backup ended with ${String(code)}: ${stderr}`);
    return JSON.parse(stdout) as BackupProcessResult;
  });
  return { child, ended };
}
