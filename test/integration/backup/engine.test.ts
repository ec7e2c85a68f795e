/**
 * A backup of a real etcd into a real S3 server, read back, restored and compared.
 *
 * @size medium
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeManifest } from '../../../src/backup/format/manifest.ts';
import { FILES, type Manifest } from '../../../src/backup/format/manifest-type.ts';
import { parseBackupKey } from '../../../src/backup/format/key.ts';
import { readBackupFile, readManifest } from '../../../src/backup/read-backup.ts';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { readSmall, type ObjectStore } from '../../../src/backup/stores/object-store.ts';
import { takeBackup, type BackupTools } from '../../../src/backup/take-backup.ts';
import { withEtcdReader } from '../../../src/etcd/client.ts';
import { systemClock, type Clock } from '../../../src/kubernetes/time/clock.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { EtcdProcesses } from '../../harness/servers/etcd-processes.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import {
  startFaults,
  startS3Server,
  type Fault,
  type S3Server,
} from '../../harness/servers/s3-server.ts';

const exec = promisify(execFile);
const DOMAIN = 'etcd.team.svc';
const MEMBER = 'etcd-0';
const key = parseBackupKey('k1', randomBytes(32).toString('hex'));
const never = new AbortController().signal;
const clock: Clock = { ...systemClock, after: (ms, act) => systemClock.after(ms / 100, act) };
const tools = { clock, random: Math.random, timeoutMs: 2_000 };
const request = {
  backup: { namespace: 'team', name: 'now', uid: 'b1' },
  karmada: { namespace: 'team', name: 'demo', uid: 'k1' },
  operatorVersion: '0.0.0',
};
const metadata = { name: 'demo', namespace: 'team', labels: { team: 'a' } };
const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { ...metadata, uid: 'k1' },
  spec: { suspend: false },
  status: {},
};
const authority = { name: 'demo-ca-backup', data: { 'ca.crt': 'eA==' } };
const OBJECTS = Buffer.from(JSON.stringify({ karmada, secrets: [authority] }));

let etcds: EtcdProcesses;
let s3: S3Server;
let programs: string;

const etcdctl = (...args: readonly string[]): Promise<unknown> =>
  exec(join(programs, 'etcdctl'), [...etcds.clientFlags(MEMBER), ...args]);

async function drained(content: AsyncIterable<Buffer>): Promise<number> {
  let length = 0;
  for await (const piece of content) length += piece.length;
  return length;
}

/** Takes a backup of the member into a folder of the store. */
const backUp = async (
  store: ObjectStore,
  folder: string,
  more: Partial<BackupTools> = {},
): Promise<Manifest> =>
  (
    await withEtcdReader(etcds.target(MEMBER), never, (etcd) =>
      takeBackup(
        { ...request, folder },
        {
          etcd,
          store,
          key,
          randomBytes,
          clock,
          signal: never,
          readObjects: () => Promise.resolve(OBJECTS),
          ...more,
        },
      ),
    )
  ).manifest;

beforeAll(async () => {
  const { etcd } = await ensureBinaries(['etcd']);
  programs = await mkdtemp(join(tmpdir(), 'backup-engine-'));
  for (const name of ['etcdctl', 'etcdutl']) await symlink(etcd, join(programs, name));
  s3 = await startS3Server();
  etcds = await EtcdProcesses.create(DOMAIN);
  await etcds.startClusters([MEMBER]);
  await eventually(
    'etcd responds',
    () =>
      etcdctl('put', 'first', 'value').then(
        () => true,
        () => false,
      ),
    () => etcds.server(MEMBER).tail(),
  );
  for (let n = 0; n < 120; n += 1)
    await etcdctl('put', `key-${String(n)}`, randomBytes(90_000).toString('base64'));
}, 600_000);

afterAll(async () => {
  await etcds.close();
  await s3.close();
  await rm(programs, { recursive: true, force: true });
});

describe('takeBackup', () => {
  it('stores a backup whose restored data has the same hash and number of keys', async () => {
    const store = createS3Store(s3.settings, tools);
    const manifest = await backUp(store, 'good/one');
    expect((await store.list('good/', never)).map((one) => one.key)).toEqual([
      'good/one/etcd.snapshot.enc',
      'good/one/manifest.jsonl',
      'good/one/objects.json.enc',
    ]);
    const { manifest: found } = await readManifest('good/one', { store, key, signal: never });
    expect(found).toEqual(manifest);
    const [file] = found.files;
    const path = join(programs, 'restored.db');
    if (file === undefined) throw new Error('no file');
    expect(file).toMatchObject({ name: FILES.etcd });
    expect(file.sizeBytes).toBeGreaterThan(12_000_000);
    const content = readBackupFile('good/one', file, { store, key, signal: never });
    await pipeline(content, createWriteStream(path));
    await etcds.allocate(['restored']);
    const restore = ['snapshot', 'restore', path, '--data-dir', etcds.data('restored')];
    await exec(join(programs, 'etcdutl'), [...restore, ...etcds.restoreFlags('restored')]);
    etcds.start('restored', { cluster: ['restored'] });
    const { revision, keys, hashes } = found.etcd;
    const seen = await eventually(
      'the restored member responds',
      () =>
        withEtcdReader(etcds.target('restored'), never, async (etcd) => ({
          hash: await etcd.hashKV(revision),
          keys: await etcd.countKeys(revision),
        })).catch(() => undefined),
      () => etcds.server('restored').tail(),
    );
    expect(seen.keys).toBe(keys);
    expect(Number(keys)).toBe(121);
    expect(hashes).toContainEqual({
      hash: seen.hash.hash,
      compactRevision: seen.hash.compactRevision,
    });
  });

  it('can be read without the operator', async () => {
    const store = createS3Store(s3.settings, tools);
    await backUp(store, 'plain/one');
    const folder = join(programs, 'plain');
    await mkdir(folder);
    for (const name of ['etcd.snapshot.enc', 'objects.json.enc', 'manifest.jsonl'])
      await writeFile(join(folder, name), await readSmall(store, `plain/one/${name}`, never, 2e8));
    await writeFile(join(folder, 'key'), key.bytes.toString('hex'));
    const script = join(checkout, 'docs/reference/read-backup.mjs');
    const read = [script, folder, join(folder, 'key')];
    const created = async (): Promise<unknown> =>
      JSON.parse(await readFile(join(folder, 'control-plane.json'), 'utf8'));
    const { stdout } = await exec(process.execPath, read);
    expect(stdout).toContain('etcd.snapshot');
    expect(await readFile(join(folder, 'objects.json'))).toEqual(OBJECTS);
    const { apiVersion, kind, spec } = karmada;
    const again = { apiVersion, kind, metadata, spec };
    expect(await created()).toMatchObject({
      kind: 'List',
      items: [{ kind: 'Secret', metadata: { namespace: 'team' }, data: authority.data }, again],
    });
    await exec(process.execPath, [...read, 'other']);
    const elsewhere = { metadata: { namespace: 'other' } };
    expect(await created()).toMatchObject({ items: [elsewhere, elsewhere] });
    const utl = join(programs, 'etcdutl');
    const status = await exec(utl, ['snapshot', 'status', join(folder, 'etcd.snapshot')]);
    expect(status.stdout).not.toBe('');
    // A link in the folder is replaced, and what it names stays.
    const linked = join(programs, 'linked');
    await writeFile(linked, 'mine');
    await rm(join(folder, 'objects.json'));
    await symlink(linked, join(folder, 'objects.json'));
    await exec(process.execPath, read);
    expect(await readFile(linked, 'utf8')).toBe('mine');
    expect(await readFile(join(folder, 'objects.json'))).toEqual(OBJECTS);
    await writeFile(join(folder, 'key'), 'ab'.repeat(32));
    await expect(exec(process.execPath, read)).rejects.toThrow('manifest');
  });

  it('stores no readable data', async () => {
    await etcdctl('put', 'token', 'PLAINTEXT-MARKER');
    const store = createS3Store(s3.settings, tools);
    await backUp(store, 'secret/one', {
      readObjects: () => Promise.resolve(Buffer.from('PLAINTEXT-MARKER')),
    });
    for (const { key: name } of await store.list('secret/', never)) {
      const content = await readSmall(store, name, never, 2 ** 28);
      expect(content.includes('PLAINTEXT-MARKER')).toBe(false);
    }
  });

  it('has no manifest when Secrets change meanwhile', async () => {
    const store = createS3Store(s3.settings, tools);
    let reads = 0;
    const readObjects = (): Promise<Buffer> => Promise.resolve(Buffer.from(String((reads += 1))));
    const result = backUp(store, 'changed/one', { readObjects });
    await expect(result).rejects.toThrow('Secrets of the control plane changed');
    expect((await store.list('changed/one/manifest', never)).length).toBe(0);
  });

  it('has no manifest when etcd ends during the snapshot', async () => {
    const store = createS3Store(s3.settings, tools);
    const result = withEtcdReader(etcds.target(MEMBER), never, async (etcd) => {
      async function* cut(): AsyncGenerator<Buffer> {
        let bytes = 0;
        for await (const piece of etcd.snapshot()) {
          bytes += piece.length;
          yield piece;
          if (bytes > 9_000_000 && bytes < 9_100_000) await etcds.stop(MEMBER);
        }
      }
      return takeBackup(
        { ...request, folder: 'cut/one' },
        {
          store,
          key,
          randomBytes,
          clock,
          signal: never,
          readObjects: () => Promise.resolve(OBJECTS),
          etcd: { ...etcd, snapshot: cut },
        },
      );
    });
    await expect(result).rejects.toMatchObject({ failure: { stage: 'answer' } });
    expect(await store.list('cut/', never)).toEqual([]);
    etcds.start(MEMBER, { cluster: [MEMBER] });
    await eventually(
      'etcd responds again',
      () =>
        etcdctl('get', 'first').then(
          () => true,
          () => false,
        ),
      () => etcds.server(MEMBER).tail(),
    );
  });

  const faults: readonly (readonly [string, Fault])[] = [
    ['403', { answer: 403, code: 'AccessDenied' }],
    ['500', { answer: 500, code: 'InternalError' }],
    ['cut request', 'cut request'],
    ['cut response', 'cut response'],
  ];
  it.each(faults)(
    'never leaves an incomplete backup with a manifest: %s',
    async (what, fault) => {
      const direct = createS3Store(s3.settings, tools);
      for (let broken = 1; ; broken += 1) {
        let requests = 0;
        // Every later request fails, too.
        const proxy = await startFaults(s3, () => ((requests += 1) >= broken ? fault : 'pass'));
        const folder = `faults/${what.replace(' ', '-')}/${String(broken)}`;
        const store = createS3Store(proxy.settings, tools);
        const error = await backUp(store, folder).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        await proxy.close();
        if (error === undefined && requests < broken) break;
        const manifest = await readSmall(direct, `${folder}/manifest.jsonl`, never).catch(
          () => undefined,
        );
        if (manifest === undefined) continue;
        // Only the response to the manifest was lost: the backup is complete.
        for (const file of decodeManifest(manifest, key).files)
          await drained(readBackupFile(folder, file, { store: direct, key, signal: never }));
      }
    },
    120_000,
  );

  it('is found damaged after each flipped bit, exchanged and missing file', async () => {
    const store = createS3Store(s3.settings, tools);
    const manifest = await backUp(store, 'flip/one');
    for (const file of manifest.files) {
      const name = `flip/one/${file.name}.enc`;
      const content = await readSmall(store, name, never, 2 ** 28);
      for (const at of [0, 50, content.length - 1, Math.floor(content.length / 2)]) {
        const changed = Buffer.from(content);
        changed[at] = (changed[at] ?? 0) ^ 4;
        async function* read(): AsyncGenerator<Buffer> {
          yield await Promise.resolve(changed);
        }
        const damaged = { store: { read }, key, signal: never };
        await expect(drained(readBackupFile('flip/one', file, damaged))).rejects.toThrow();
      }
    }
  });
});
