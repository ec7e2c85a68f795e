/** A backup of a real etcd and its proof, beside a snapshot that etcdctl saves. */
import { randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';
import { parseBackupKey } from '../../../src/backup/format/key.ts';
import { readBackupFile, readManifest } from '../../../src/backup/read-backup.ts';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { withEtcdReader } from '../../../src/etcd/client.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { CREDENTIALS, startS3Server, type S3Server } from '../../harness/servers/s3-server.ts';
import { EtcdProcesses } from '../../harness/servers/etcd-processes.ts';
import { runJob } from './job.ts';
import { measuredRun, usageText } from './usage.ts';

const DOMAIN = 'etcd.team.svc';
const MEMBER = 'etcd-0';
const QUOTA = '--quota-backend-bytes=6442450944';
/** Like an object of a control plane. */
const VALUE_BYTES = 2_000;
/** Keys of one transaction; etcd allows 128. */
const BATCH = 100;
const WRITERS = 4;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const never = new AbortController().signal;

interface Scene {
  readonly etcds: EtcdProcesses;
  readonly s3: S3Server;
  /** Empty folder. */
  readonly directory: string;
  /** Folder with etcdctl and etcdutl. */
  readonly programs: string;
  /** Bundle of the process of a backup. */
  readonly job: string;
}

/**
 * Fills an etcd, and prints one line per operation.
 * @param directory folder for temporary files
 * @param job bundle of the process of a backup
 */
export async function compareSnapshots(
  directory: string,
  job: string,
  megabytes: number,
): Promise<void> {
  const { etcd } = await ensureBinaries(['etcd']);
  for (const name of ['etcdctl', 'etcdutl']) await symlink(etcd, join(directory, name));
  const s3 = await startS3Server();
  const etcds = await EtcdProcesses.create(DOMAIN);
  const scene: Scene = { etcds, s3, directory, programs: directory, job };
  try {
    await etcds.allocate([MEMBER]);
    etcds.start(MEMBER, { cluster: [MEMBER], flags: [QUOTA] });
    await fill(scene, megabytes);
    for (const round of [1, 2]) await measure(scene, round);
  } finally {
    await etcds.close();
    await s3.close();
  }
}

async function fill({ etcds }: Scene, megabytes: number): Promise<void> {
  const { url, caFile, certificateFile, keyFile } = etcds.access(MEMBER);
  const [ca, cert, key] = [caFile, certificateFile, keyFile].map((file) => readFileSync(file));
  const dispatcher = new Agent({ connect: { ca, cert, key, servername: `${MEMBER}.${DOMAIN}` } });
  const put = async (first: number): Promise<boolean> => {
    const success = Array.from({ length: BATCH }, (_, n) => ({
      request_put: {
        key: Buffer.from(`/registry/bench/key-${String(first + n)}`).toString('base64'),
        value: randomBytes(VALUE_BYTES).toString('base64'),
      },
    }));
    const body = JSON.stringify({ success });
    const { statusCode, body: answer } = await request(`${url}/v3/kv/txn`, {
      method: 'POST',
      body,
      dispatcher,
    });
    await answer.dump();
    return statusCode === 200;
  };
  await poll('etcd stores keys', async () =>
    (await put(0).catch(() => false)) ? true : undefined,
  );
  const keys = (megabytes * 1e6) / VALUE_BYTES;
  let next = BATCH;
  const writer = async (): Promise<void> => {
    while (next < keys) {
      const first = next;
      next += BATCH;
      if (!(await put(first))) throw new Error('etcd refused a transaction');
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  await dispatcher.close();
  print(`filled: ${String(keys)} keys of ${String(VALUE_BYTES)} bytes`);
}

async function measure(scene: Scene, round: number): Promise<void> {
  const { etcds, s3, directory, programs } = scene;
  const saved = join(directory, `etcdctl-${String(round)}.db`);
  const save = [...etcds.clientFlags(MEMBER), 'snapshot', 'save', saved];
  const etcdctl = await measuredRun(join(programs, 'etcdctl'), save);
  print(usageText(`etcdctl snapshot save, ${String((await stat(saved)).size)} bytes`, etcdctl));

  const { url, caFile, certificateFile, keyFile } = etcds.access(MEMBER);
  const pem = (file: string): string => readFileSync(file, 'utf8');
  const key = randomBytes(32).toString('hex');
  const folder = `bench/${String(round)}`;
  const { endpoint, region, bucket, pathStyle } = s3.settings;
  const backup = await runJob(scene.job, {
    store: { endpoint, region, bucket, pathStyle, credentials: CREDENTIALS },
    folder,
    key,
    etcd: {
      port: Number(new URL(url).port),
      serverName: `${MEMBER}.${DOMAIN}`,
      ca: pem(caFile),
      certificate: pem(certificateFile),
      key: pem(keyFile),
    },
  });
  print(usageText('backup: encrypted, in a bucket', backup));
  await prove(scene, { folder, key, round });
}

/** The steps of the Pod of a backup after it was stored. */
async function prove(
  { etcds, s3, directory, programs }: Scene,
  { folder, key, round }: { folder: string; key: string; round: number },
): Promise<void> {
  const began = performance.now();
  const store = createS3Store(s3.settings, { clock: systemClock, random: Math.random });
  const tools = { store, key: parseBackupKey('k1', key), signal: never };
  const { files, etcd } = (await readManifest(folder, tools)).manifest;
  const [file] = files;
  if (file === undefined) throw new Error('the backup has no snapshot');
  const path = join(directory, `fetched-${String(round)}.db`);
  await pipeline(readBackupFile(folder, file, tools), createWriteStream(path));
  const fetched = performance.now();
  const member = `proof-${String(round)}`;
  await etcds.allocate([member]);
  const restore = ['snapshot', 'restore', path, '--data-dir', etcds.data(member)];
  const flags = [...restore, ...etcds.restoreFlags(member)];
  const restored = await measuredRun(join(programs, 'etcdutl'), flags);
  etcds.start(member, { cluster: [member], flags: [QUOTA] });
  const same = await poll('the restored etcd responds', () =>
    withEtcdReader(etcds.target(member), never, async (client) => {
      const { hash } = await client.hashKV(etcd.revision);
      const keys = await client.countKeys(etcd.revision);
      return keys === etcd.keys && etcd.hashes.some((one) => one.hash === hash);
    }).catch(() => undefined),
  );
  await etcds.stop(member);
  if (!same) throw new Error('the restored data differs');
  print(usageText('- of the proof, etcdutl snapshot restore', restored));
  const seconds = (from: number, to: number): string => ((to - from) / 1_000).toFixed(1);
  print(
    `proof: ${seconds(began, performance.now())} s, of which ${seconds(began, fetched)} s to fetch and decrypt; the same hash and ${etcd.keys} keys`,
  );
}
