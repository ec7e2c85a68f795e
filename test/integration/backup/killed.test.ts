/** A process that takes a backup is killed after each of its requests to an S3 server. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseBackupKey } from '../../../src/backup/format/key.ts';
import { readBackupFile, readManifest } from '../../../src/backup/read-backup.ts';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { systemClock } from '../../../src/kubernetes/clock.ts';
import { bundleBackupProcess, startBackupProcess } from '../../harness/backup-process/start.ts';
import { CREDENTIALS, startFaults, startS3Server, type S3Server } from './s3-server.ts';

/** Three parts. */
const BYTES = 20 * 2 ** 20;
const key = randomBytes(32).toString('hex');
const never = new AbortController().signal;

let s3: S3Server;
let directory: string;
let program: string;

beforeAll(async () => {
  s3 = await startS3Server();
  directory = await mkdtemp(join(tmpdir(), 'killed-backup-'));
  program = await bundleBackupProcess(directory);
}, 600_000);

afterAll(async () => {
  await s3.close();
  await rm(directory, { recursive: true, force: true });
});

/** Takes a backup, and kills the process when the server has executed a request. @returns whether it was killed */
async function takeUntil(folder: string, request?: number): Promise<readonly string[]> {
  let kill = (): void => undefined;
  let count = 0;
  const faults = await startFaults(s3, () => {
    count += 1;
    if (count !== request) return 'pass';
    kill();
    return 'cut response';
  });
  try {
    const { endpoint, region, bucket, pathStyle } = faults.settings;
    const location = { endpoint, region, bucket, pathStyle };
    const settings = {
      s3: location,
      credentials: CREDENTIALS,
      folder,
      key,
      source: { bytes: BYTES },
    };
    const { child, ended } = startBackupProcess(program, settings);
    kill = () => child.kill('SIGKILL');
    const result = await ended;
    expect(result === undefined).toBe(request !== undefined);
    return [...faults.seen];
  } finally {
    await faults.close();
  }
}

/** Reads every file of a backup. @throws StoreError if it has no manifest, and Error if a file is not complete */
async function lengthOf(folder: string): Promise<number> {
  const store = createS3Store(s3.settings, { clock: systemClock, random: Math.random });
  const tools = { store, key: parseBackupKey('k1', key), signal: never };
  let length = 0;
  for (const file of (await readManifest(folder, tools)).files)
    for await (const piece of readBackupFile(folder, file, tools)) length += piece.length;
  return length;
}

describe('a backup whose process is killed', () => {
  it('has no manifest, or is complete, after each request', async () => {
    const requests = await takeUntil('whole');
    expect(await lengthOf('whole')).toBe(BYTES + 2);
    expect(requests.filter((one) => one.startsWith('part'))).toHaveLength(3);
    const found: string[] = [];
    for (const number of requests.keys()) {
      const folder = `killed/${String(number)}`;
      await takeUntil(folder, number + 1);
      const length = await lengthOf(folder).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'NotFound' });
      });
      if (length !== undefined) found.push(`${folder} ${String(length)}`);
    }
    // Only the last request creates the manifest.
    const last = requests.length - 1;
    for (const one of found)
      expect(one).toMatch(new RegExp(`^killed/${String(last)} ${String(BYTES + 2)}$`));
    await takeUntil('after');
    expect(await lengthOf('after')).toBe(BYTES + 2);
  }, 240_000);
});
