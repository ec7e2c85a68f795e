/**
 * Backups of a large control plane in a bucket, taken under a client that writes all the time, and what they cure: the loss of two
 * of three etcd members with their volumes, and the loss of the whole namespace. The commands are those of the page for operators.
 *
 * @size large
 * @tier all
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import type { KarmadaBackup } from '../../src/api/backup/kinds.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { karmadaName as name, KEY_SECRET } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { controlPlaneClientOf } from '../harness/client.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdAnswers } from '../harness/etcd-members.ts';
import { summaryOf, writing } from '../harness/etcd-writer.ts';
import { installOperator } from '../harness/operator.ts';
import { follow } from '../harness/runbook.ts';
import { startS3, stopS3, type S3 } from '../harness/s3.ts';

const namespace = 'backup-s3';
const where = ['-n', namespace];
const KEYS = 100_000;
/** Writes at a time while the keys are created. */
const AT_ONCE = 64;
/** Goals in milliseconds: a restore in the same cluster, and a rebuild from the bucket alone. */
const RESTORE_MS = 180_000;
const REBUILD_MS = 300_000;
const saved = { namespace: 'saved', prefix: '/registry/configmaps/saved/' };
const newer = { namespace: 'default', prefix: '/registry/configmaps/default/newer' };

describeCluster('backups in a bucket', () => {
  let cluster: Cluster;
  let scene: BackupScene;
  let s3: S3;
  let inside: KubernetesClient | undefined;
  /** Files of the operator. */
  let directory: string;

  const at = (): Parameters<typeof etcdAnswers>[0] => ({ cluster, name, namespace });
  const client = (): KubernetesClient => {
    if (inside === undefined) throw new Error('no client of the control plane');
    return inside;
  };
  const connect = async (): Promise<void> => {
    await inside?.close();
    inside = await controlPlaneClientOf(cluster, name, namespace);
  };
  const karmada = (): object =>
    // The test connects from outside the host cluster with the unchanged kubeconfig.
    scene.karmada(3, { components: { karmadaAPIServer: { serviceType: 'NodePort' } } });

  /** Runs the commands of a section of the page. */
  const recover = (title: string, more: Readonly<Record<string, string>> = {}): Promise<string> =>
    follow({ cluster, directory, variables: { NAMESPACE: namespace, NAME: name, ...more } }, title);

  async function replaceData(backup: string): Promise<void> {
    for (const title of ['Replace the data', 'Continue the propagation'])
      await recover(title, { BACKUP: backup });
  }

  const folderOf = async (backup: string): Promise<string> => {
    const found = await getObject<KarmadaBackup>(cluster, 'karmadabackup', backup, namespace);
    return found.status?.folder ?? '';
  };

  /** Numbers of keys that the members have. */
  const counts = async (prefix: string): Promise<readonly number[]> =>
    (await etcdAnswers(at(), prefix)).map(({ count }) => count);

  async function fill(): Promise<void> {
    await client().create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: saved.namespace },
    });
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < KEYS) {
        const metadata = { name: `key-${String((next += 1))}`, namespace: saved.namespace };
        await client().create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  const filesOf = (folder: string): readonly string[] => {
    const path = join(s3.folder, folder);
    return readdirSync(path).map((file) => join(path, file));
  };

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    scene = new BackupScene(cluster, namespace);
    await scene.clean();
    s3 = await startS3(cluster);
    directory = mkdtempSync(join(tmpdir(), 'recover-'));
    writeFileSync(join(directory, 'backup.key'), scene.key);
    for (const [file, text] of Object.entries(s3.credentials))
      writeFileSync(join(directory, file), text);
    cpSync(join(checkout, 'docs/reference/read-backup.mjs'), join(directory, 'read-backup.mjs'));
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada(), ...scene.s3Store(s3));
    await untilReady(cluster, name, namespace);
    await connect();
    const began = Date.now();
    await fill();
    process.stderr.write(`${String(KEYS)} keys in ${String(Date.now() - began)} ms\n`);
  }, 1_800_000);

  afterAll(async () => {
    await inside?.close();
    await scene.clean();
    stopS3(cluster);
    rmSync(directory, { recursive: true });
  }, 480_000);

  it('are complete, verified and encrypted while clients write, and disturb no client', async () => {
    let backup: KarmadaBackup | undefined;
    const began = Date.now();
    const written = await writing(client(), 'during', async () => {
      await apply(cluster, scene.backup('first'));
      backup = await scene.untilEnded('first');
    });
    const { status } = backup ?? {};
    process.stderr.write(
      `backup and proof: ${String(Date.now() - began)} ms, ${String(status?.keys)} keys, ${String(status?.sizeBytes)} bytes; ${summaryOf(written)}\n`,
    );
    expect(status?.phase).toBe('Verified');
    expect(Number(status?.keys)).toBeGreaterThan(KEYS);
    expect([written.lost, written.failures]).toEqual([[], []]);
    const files = filesOf(status?.folder ?? '');
    expect(files).toHaveLength(3);
    expect(files.filter((file) => readFileSync(file).includes('/registry/'))).toEqual([]);
  }, 400_000);

  it('are complete and verified in a volume too, while clients write', async () => {
    let backup: KarmadaBackup | undefined;
    const written = await writing(client(), 'volume', async () => {
      await apply(cluster, ...scene.store('volume'));
      await apply(cluster, scene.backup('in-volume', { storeRef: { name: 'volume' } }));
      backup = await scene.untilEnded('in-volume');
    });
    const { status } = backup ?? {};
    process.stderr.write(`in a volume: ${String(status?.keys)} keys; ${summaryOf(written)}\n`);
    expect(status?.phase).toBe('Verified');
    expect(Number(status?.keys)).toBeGreaterThan(KEYS);
    expect([written.lost, written.failures]).toEqual([[], []]);
  }, 400_000);

  it('end when the server rejects the credentials, and name its reason', async () => {
    const metadata = { name: 'denied', namespace };
    const stringData = { ...s3.credentials, secretAccessKey: 'planted-wrong-secret' };
    const store = scene.s3Store(s3).at(-1) as { spec: { s3: object } };
    const denied = { ...store.spec.s3, credentialsSecretRef: { name: 'denied' } };
    await apply(
      cluster,
      { apiVersion: 'v1', kind: 'Secret', metadata, stringData },
      { ...store, metadata, spec: { ...store.spec, s3: denied } },
      scene.backup('denied', { storeRef: { name: 'denied' } }),
    );
    const { status } = await scene.untilEnded('denied');
    const message = JSON.stringify(status?.conditions);
    expect(status?.phase).toBe('Failed');
    expect(message).toMatch(/SignatureDoesNotMatch|AccessDenied|InvalidAccessKey/);
    expect(message).not.toContain('planted');
  }, 300_000);

  it('can be read with a former encryption key, and name a lost one', async () => {
    await recover('Replace the encryption key');
    await apply(cluster, scene.backup('second'));
    const second = (await scene.untilEnded('second')).status;
    expect(second?.phase).toBe('Verified');
    const manifest = join(s3.folder, second?.folder ?? '', 'manifest.jsonl');
    expect(readFileSync(manifest, 'utf8')).toContain('"keyID":"k2"');
    const folder = await folderOf('first');
    await apply(
      cluster,
      scene.backup('unnamed', { folder }),
      scene.backup('former', { folder, keyID: 'k1' }),
    );
    const unnamed = (await scene.untilEnded('unnamed')).status;
    expect(JSON.stringify(unnamed?.conditions)).toContain('set spec.keyID to k1');
    const former = (await scene.untilEnded('former')).status;
    expect(former).toMatchObject({
      phase: 'Verified',
      keyID: 'k1',
      conditions: [{}, {}, { type: 'OriginProven', status: 'False' }],
    });
    const shown = ['-o', 'jsonpath={.data.k1}'];
    const k1 = await kubectl(cluster, ['get', 'secret', KEY_SECRET, ...where, ...shown]);
    const setKey = (value: string | null): Promise<string> => {
      const patch = JSON.stringify({ data: { k1: value } });
      return kubectl(cluster, [
        'patch',
        'secret',
        KEY_SECRET,
        ...where,
        '--type=merge',
        '-p',
        patch,
      ]);
    };
    await setKey(null);
    await apply(cluster, scene.backup('lost', { folder, keyID: 'k1' }));
    const { status } = await scene.untilEnded('lost');
    expect(status?.phase).toBe('Failed');
    expect(JSON.stringify(status?.conditions)).toMatch(/k1/);
    await setKey(k1);
  }, 400_000);

  it('replace what is left of an etcd that lost two of three members', async () => {
    await client().create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'newer', namespace: newer.namespace },
    });
    const lost = [1, 2].map((ordinal) => `${name}-etcd-${String(ordinal)}`);
    const claims = lost.map((pod) => `etcd-data-${pod}`);
    await kubectl(cluster, ['delete', 'pvc', ...claims, ...where, '--wait=false']);
    await kubectl(cluster, ['delete', 'pod', ...lost, ...where, '--force', '--grace-period=0']);

    const began = Date.now();
    await replaceData('first');
    const tookMs = Date.now() - began;
    process.stderr.write(`restore after the loss of two members: ${String(tookMs)} ms\n`);
    expect(await counts(saved.prefix)).toEqual([KEYS, KEYS, KEYS]);
    expect(await counts(newer.prefix)).toEqual([0, 0, 0]);
    expect(tookMs).toBeLessThan(RESTORE_MS);
  }, 700_000);

  it('rebuild a control plane after the loss of its namespace', async () => {
    const folder = await folderOf('first');
    await scene.clean();
    const began = Date.now();
    cpSync(join(s3.folder, folder), join(directory, folder), { recursive: true });
    const [, ca, , store] = scene.s3Store(s3);
    writeFileSync(join(directory, 'store.yaml'), `${dump(ca)}---\n${dump(store)}`);
    await recover('Rebuild the control plane', { FOLDER: folder });
    expect(await folderOf('existing')).toBe(folder);
    await replaceData('existing');
    const tookMs = Date.now() - began;
    process.stderr.write(`rebuild after the loss of the namespace: ${String(tookMs)} ms\n`);
    expect(await counts(saved.prefix)).toEqual([KEYS, KEYS, KEYS]);
    expect(tookMs).toBeLessThan(REBUILD_MS);
  }, 900_000);
});
