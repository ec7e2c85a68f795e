/** Starts the process of a backup with the flags and the environment of the image. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { containerSettings } from '../../../scripts/image/operator.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import type { JobOutput, JobProcess } from '../../harness/backup-process.ts';
import type { Usage } from './usage.ts';

/** Bundles the process as the image does with the operator. @returns path of the program */
export async function bundleJob(directory: string): Promise<string> {
  const outfile = join(directory, 'process.mjs');
  await build({
    entryPoints: [join(checkout, 'test/harness/backup-process.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    logLevel: 'error',
    banner: {
      js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
    },
  });
  return outfile;
}

/** Takes a backup. @throws Error if it fails */
export async function runJob(program: string, job: JobProcess): Promise<Usage> {
  const [, ...flags] = containerSettings.entrypoint.slice(0, -1);
  const began = performance.now();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, program, JSON.stringify(job)],
    { env: { ...process.env, ...containerSettings.environment, SSL_CERT_FILE: '' } },
  );
  const { error, memoryMiB, cpuSeconds } = JSON.parse(stdout) as JobOutput;
  if (error !== undefined) throw new Error(error);
  return {
    seconds: (performance.now() - began) / 1_000,
    processorSeconds: cpuSeconds,
    peakBytes: memoryMiB * 2 ** 20,
  };
}
