/** Command `backup-job STAGE`: one container of the Pod of a backup. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { JobConfig, JobResult } from './backup/job/config.ts';
import { readText } from './backup/job/open-store.ts';
import { JOB_FILES, PATHS } from './backup/job/paths.ts';
import { STAGES } from './backup/job/stages.ts';
import { storeErrorText } from './backup/stores/store-remedies.ts';
import { systemClock } from './kubernetes/time/clock.ts';

/** Longest error in the status. */
const MAX_ERROR_LENGTH = 1_000;

/**
 * Runs a stage and writes its result for the operator.
 * @returns the exit code
 */
export async function runBackupJob([name = '', ...rest]: readonly string[]): Promise<number> {
  const stage = STAGES[name];
  if (stage === undefined || rest.length > 0) {
    process.stderr.write(`usage: backup-job ${Object.keys(STAGES).join('|')}\n`);
    return 2;
  }
  const result = await resultOf(stage);
  await writeFile(PATHS.result, JSON.stringify(result));
  process.stdout.write(`${JSON.stringify({ stage: name, ...result })}\n`);
  return result.error === undefined ? 0 : 1;
}

async function resultOf(stage: (typeof STAGES)[string]): Promise<JobResult> {
  try {
    const config = JSON.parse(await readText(JOB_FILES.config)) as JobConfig;
    return await stage(config, {
      clock: systemClock,
      random: Math.random,
      randomBytes,
      read: readText,
      root: '/',
      signal: AbortSignal.timeout(config.deadlineMs),
    });
  } catch (error) {
    return { error: storeErrorText(error).slice(0, MAX_ERROR_LENGTH) };
  }
}
