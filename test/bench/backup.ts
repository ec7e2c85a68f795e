/**
 * Measures a backup: time, processor time and memory. Needs no cluster.
 * - a stub of an etcd with 8 GiB, whose data a server discards
 * - a real etcd with 1 GB, beside a snapshot by etcdctl, with the proof of the backup
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { bundleBackupProcess, startBackupProcess } from '../harness/backup-process/start.ts';
import { describeMachine, machineText } from './install/machine.ts';
import { compareSnapshots } from './backup/real-etcd.ts';
import { usageText } from './backup/usage.ts';

const GIB = 2 ** 30;

/** An S3 server that discards the content of objects, and only remembers their sizes. */
async function startSink(): Promise<Server> {
  const sizes = new Map<string, number>();
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://sink');
    let bytes = 0;
    request.on('data', (piece: Buffer) => (bytes += piece.length));
    request.once('end', () => {
      if (method === 'HEAD') {
        const size = sizes.get(pathname);
        return void response
          .writeHead(size === undefined ? 404 : 200, { 'content-length': size ?? 0 })
          .end();
      }
      if (method === 'PUT') sizes.set(pathname, (sizes.get(pathname) ?? 0) + bytes);
      response.writeHead(200, { etag: '"e"' });
      response.end(searchParams.has('uploads') ? '<R><UploadId>u</UploadId></R>' : '');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function streamed(directory: string, gibibytes: number): Promise<void> {
  const sink = await startSink();
  const { port } = sink.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${String(port)}`;
  const program = await bundleBackupProcess(directory);
  const { ended } = startBackupProcess(program, {
    s3: { endpoint, region: 'r', bucket: 'b', pathStyle: true },
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    ...{ folder: 'stub', key: randomBytes(32).toString('hex') },
    source: { bytes: gibibytes * GIB },
  });
  const result = await ended;
  sink.closeAllConnections();
  sink.close();
  if (result === undefined) throw new Error('the process was killed');
  const before = (result.bytesAtStart / 2 ** 20).toFixed(0);
  process.stdout.write(
    `${usageText(`${String(gibibytes)} GiB of a stub`, result)}, of which ${before} MiB before the backup\n`,
  );
}

async function main(stub: number, megabytes: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-backup-'));
  try {
    process.stdout.write(`${machineText(describeMachine())}\n`);
    if (stub > 0) await streamed(directory, stub);
    if (megabytes > 0) await compareSnapshots(directory, megabytes);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

await new Command('bench:backup')
  .description('Measure a backup of a large etcd: time, processor time and memory')
  .option('--stub <gibibytes>', 'size of the stream of a stub; 0 omits it', Number, 8)
  .option('--etcd <megabytes>', 'data in a real etcd; 0 omits it', Number, 1_000)
  .action(async ({ stub, etcd }: { stub: number; etcd: number }) => main(stub, etcd))
  .parseAsync();
