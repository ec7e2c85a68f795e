/**
 * Measures time, processor time and memory of the process that takes a backup. Needs no cluster.
 * - large snapshots of a stub, which a server discards
 * - a real etcd, beside a snapshot by etcdctl, with the proof of the backup
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { bundleJob, runJob } from './backup/job.ts';
import { compareSnapshots } from './backup/real-etcd.ts';
import { usageText } from './backup/usage.ts';
import { describeMachine, machineText } from './install/machine.ts';

/** S3 server that stores nothing but the lengths of objects. */
function createSink(): ReturnType<typeof createServer> {
  const lengths = new Map<string, number>();
  const answer = (request: IncomingMessage, response: ServerResponse, bytes: number): void => {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://s3');
    if (method === 'PUT') lengths.set(pathname, (lengths.get(pathname) ?? 0) + bytes);
    const isFound = method !== 'HEAD' || lengths.has(pathname);
    response.writeHead(isFound ? 200 : 404, {
      etag: '"e"',
      ...(method === 'HEAD' && { 'content-length': lengths.get(pathname) ?? 0 }),
    });
    response.end(searchParams.has('uploads') ? '<R><UploadId>u</UploadId></R>' : '');
  };
  return createServer((request, response) => {
    let bytes = 0;
    request.on('data', (piece: Buffer) => (bytes += piece.length));
    request.once('end', () => answer(request, response, bytes));
  });
}

/** @param program bundle of the process */
async function measureStubs(program: string, sizes: readonly number[]): Promise<void> {
  const sink = createSink().listen(0, '127.0.0.1');
  await once(sink, 'listening');
  try {
    const endpoint = `http://127.0.0.1:${String((sink.address() as AddressInfo).port)}`;
    const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
    const store = { endpoint, credentials, region: 'r', bucket: 'b', pathStyle: true };
    const key = randomBytes(32).toString('hex');
    for (const snapshotMiB of sizes) {
      const job = { store, key, snapshotMiB, folder: `bench/${String(snapshotMiB)}` };
      const usage = await runJob(program, job);
      process.stdout.write(`${usageText(`snapshot of ${String(snapshotMiB)} MiB`, usage)}\n`);
    }
  } finally {
    sink.closeAllConnections();
    sink.close();
  }
}

async function measure(sizes: readonly number[], megabytes: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-backup-'));
  try {
    const program = await bundleJob(directory);
    await measureStubs(program, sizes);
    if (megabytes > 0) await compareSnapshots(directory, program, megabytes);
    process.stdout.write(`\n${machineText(describeMachine())}\n`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const program = new Command('npm run bench:backup --')
  .description(
    'Take encrypted backups of stubs and of a real etcd, and measure the process that takes them.',
  )
  .option('--sizes <numbers>', 'sizes of stubs in MiB, separated by commas', '1,1024,8192')
  .option('--etcd <megabytes>', 'data in a real etcd; 0 omits it', '1000')
  .action(({ sizes, etcd }: { sizes: string; etcd: string }) =>
    measure(sizes.split(',').filter(Boolean).map(Number), Number(etcd)),
  );

await program.parseAsync();
