/** KarmadaBackup and KarmadaRestore of a control plane in a remote host cluster, with two real API servers. No Pod runs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { backupCrds } from '../../../scripts/crd/backups.ts';
import {
  karmadaBackups,
  karmadaBackupStores,
  karmadaRestores,
  type KarmadaBackup,
  type KarmadaRestore,
} from '../../../src/api/backup/kinds.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import { instanceName, SECRET_SUFFIX, WORKLOAD_SUFFIX } from '../../../src/api/naming.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { statefulSetOf } from '../../../src/instance/__fixtures__/instance.ts';
import { reconcileBackup } from '../../../src/controllers/backups/backup/reconcile-backup.ts';
import type { FindBackupCluster } from '../../../src/features/backups/backup-cluster.ts';
import { reconcileRestore } from '../../../src/controllers/backups/restore/reconcile-restore.ts';
import { RECORD_ANNOTATION } from '../../../src/etcd-cluster/identity/record.ts';
import { backupSource } from '../../../src/features/etcd-recovery/backup-source.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';

const namespace = 'default';
const apiVersion = 'backup.operator.karmada.io/v1alpha1';
const KEY = 'ab'.repeat(32);
/** Labels of the objects of the control plane. */
const OWN = { [MANAGED_BY]: MANAGER, [INSTANCE]: 'demo' };
const OUTAGE = { reason: 'HostUnreachable', message: 'the host cluster does not respond' } as const;
const POD_FINALIZER = 'backup.operator.karmada.io/pod';

let servers: readonly ApiServer[];
let management: KubernetesClient;
let host: KubernetesClient;
let isReachable = true;

const clusterOf: FindBackupCluster = () =>
  isReachable ? { client: host, isRemote: true } : OUTAGE;
const tools = () => ({
  client: management,
  clusterOf,
  clock: systemClock,
  image: 'op:1',
  operatorVersion: '1',
});

const objectOf = (kind: string, name: string, spec: object): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
  spec,
});
const backup = (name: string): KubernetesObject =>
  objectOf('KarmadaBackup', name, { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' } });
const secret = (name: string, stringData: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData,
});

const live = async (name: string): Promise<KarmadaBackup> =>
  (await management.get(karmadaBackups, { namespace, name })) as KarmadaBackup;

/** Reconciles until nothing is written any more. */
async function atRest(name: string): Promise<KarmadaBackup> {
  for (let pass = 0; pass < 10; pass += 1) {
    const before = await live(name);
    await reconcileBackup(before, tools());
    const after = await live(name);
    if (after.metadata.resourceVersion === before.metadata.resourceVersion && pass > 3)
      return after;
  }
  throw new Error(`KarmadaBackup ${name} changes all the time`);
}

const podOf = (name: string): Promise<KubernetesObject | undefined> =>
  host.find(resources.Pod, { namespace, name: `${name}-backup` });

beforeAll(async () => {
  servers = await Promise.all([startApiServer(), startApiServer()]);
  const [one, other] = servers;
  if (one === undefined || other === undefined) throw new Error('no API servers');
  const kinds = [karmadas, karmadaBackups, karmadaBackupStores, karmadaRestores];
  management = adminClient(one, { resources: kinds });
  host = adminClient(other);
  const text = await readFile(join(checkout, 'crds/operator.karmada.io_karmadas.yaml'), 'utf8');
  await management.create(load(text) as KubernetesObject);
  for (const crd of Object.values(backupCrds)) await management.create(crd);
  const store = objectOf('KarmadaBackupStore', 'main', {
    s3: {
      endpoint: 'https://s3.example.com',
      region: 'eu-1',
      bucket: 'backups',
      credentialsSecretRef: { name: 's3' },
    },
    encryption: { mode: 'AES256GCM', keySecretRef: { name: 'keys' }, keyID: 'k1' },
  });
  const karmada = {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'demo', namespace },
    spec: {
      hostCluster: { secretRef: { name: 'host', namespace } },
      components: {
        etcd: {
          local: {
            volumeData: {
              volumeClaim: {
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '1Gi' } },
                },
              },
            },
          },
        },
      },
    },
  };
  for (const object of [store, karmada])
    await eventually('the kinds are served', () =>
      management.create(object).then(
        () => true,
        () => false,
      ),
    );
  const set = statefulSetOf({ replicas: 1 }).object;
  const name = instanceName('demo', WORKLOAD_SUFFIX.etcd);
  const labels = { ...set.metadata.labels, ...OWN };
  await host.create({ ...set, metadata: { ...set.metadata, name, namespace, labels } });
});

afterAll(async () => {
  await Promise.all([management.close(), host.close()]);
  await Promise.all(servers.map((server) => server.stop()));
});

describe('a backup in a remote host cluster', () => {
  it('waits for the host cluster and the Secrets of the store, and names what is missing', async () => {
    await management.create(backup('first'));
    isReachable = false;
    const { conditions: [, away] = [] } = (await atRest('first')).status ?? {};
    expect(away).toMatchObject(OUTAGE);
    isReachable = true;
    const { conditions: [, missing] = [] } = (await atRest('first')).status ?? {};
    expect(missing).toMatchObject({ reason: 'StoreSecretNotFound' });
    await management.create(secret('s3', { accessKeyID: 'id', secretAccessKey: 'planted' }));
    await management.create(secret('keys', { k1: 'planted-no-key', other: 'planted-password' }));
    const { conditions: [, invalid] = [] } = (await atRest('first')).status ?? {};
    expect(invalid).toMatchObject({
      reason: 'StoreSecretInvalid',
      message: expect.stringContaining('k1'),
    });
    expect(JSON.stringify(invalid)).not.toContain('planted');
    expect(await podOf('first')).toBeUndefined();
    const patch = { stringData: { k1: KEY } };
    await management.patch(resources.Secret, { namespace, name: 'keys' }, patch);
  });

  it('runs there with copies of the credentials and keys, and of nothing else', async () => {
    expect((await atRest('first')).status?.phase).toBe('Running');
    expect((await live('first')).metadata.finalizers).toEqual([POD_FINALIZER]);
    const pod = await podOf('first');
    expect(pod?.metadata.ownerReferences).toBeUndefined();
    const copy = await host.get(resources.Secret, { namespace, name: 'first-backup' });
    expect(copy.metadata.ownerReferences).toMatchObject([{ kind: 'Pod', uid: pod?.metadata.uid }]);
    expect(Object.keys(copy['data'] as object).sort()).toEqual([
      'config.json',
      'credentials.accessKeyID',
      'credentials.secretAccessKey',
      'karmada.json',
      'keys.k1',
    ]);
    expect(JSON.stringify(pod)).toContain('{"key":"keys.k1","path":"k1"}');
  });

  it('ends there with the backup', async () => {
    const manifestSHA256 = 'a1'.repeat(32);
    const taken = {
      createdAt: '2026-01-01T00:00:00Z',
      etcd: {
        version: '3.6.14',
        clusterID: 'c',
        memberID: 'd',
        revision: '77',
        keys: '5',
        hashes: [{ hash: '9', compactRevision: '3' }],
      },
      sizeBytes: 1000,
      storedBytes: 1100,
      manifestSHA256,
      keyID: 'k1',
      caSHA256: 'b2'.repeat(32),
    };
    const ended = (name: string, result: object): object => ({
      name,
      image: 'x',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0, message: JSON.stringify(result) } },
    });
    const status = {
      phase: 'Succeeded',
      initContainerStatuses: [ended('take', { backup: taken })],
      containerStatuses: [ended('compare', { isProven: true, manifestSHA256 })],
    };
    const key = { namespace, name: 'first-backup' };
    await host.patch(resources.Pod, key, { status }, { subresource: 'status' });
    const found = await atRest('first');
    expect(found.status?.phase).toBe('Verified');
    expect(found.metadata.finalizers).toBeUndefined();
    expect(await podOf('first')).toBeUndefined();
  });

  it('is deleted with its Pod when the host cluster is reachable again', async () => {
    await management.create(backup('short'));
    await atRest('short');
    expect(await podOf('short')).toBeDefined();
    const key = { namespace, name: 'short' };
    await management.delete(karmadaBackups, key);
    isReachable = false;
    expect((await atRest('short')).status).toMatchObject({ phase: 'Deleting' });
    expect(await podOf('short')).toBeDefined();
    isReachable = true;
    await eventually('the KarmadaBackup is gone', async () => {
      const left = (await management.find(karmadaBackups, key)) as KarmadaBackup | undefined;
      if (left !== undefined) await reconcileBackup(left, tools());
      return left === undefined;
    });
    expect(await podOf('short')).toBeUndefined();
  });
});

describe('a restore in a remote host cluster', () => {
  const key = { namespace, name: 'back' };
  const configKey = { namespace, name: 'back-restore' };

  const pass = async (): Promise<KarmadaRestore | undefined> => {
    const restore = (await management.find(karmadaRestores, key)) as KarmadaRestore | undefined;
    if (restore !== undefined) await reconcileRestore(restore, tools());
    return restore;
  };
  const reasonOf = (restore: KarmadaRestore | undefined): string | undefined =>
    restore?.status?.conditions?.[0]?.reason;

  it('has its configuration and the copies there until it ends', async () => {
    const record = { state: 'born', token: 't', members: 1, clusterID: 'a', ca: 'ca' };
    const annotations = { [RECORD_ANNOTATION]: JSON.stringify(record) };
    await host.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: instanceName('demo', SECRET_SUFFIX.caBackup),
        namespace,
        annotations,
        labels: OWN,
      },
    });
    const spec = { karmadaRef: { name: 'demo' }, backupRef: { name: 'first' } };
    await management.create(objectOf('KarmadaRestore', 'back', { ...spec, confirmation: 'a' }));
    await eventually(
      'the configuration is in the host cluster',
      async () => {
        await pass();
        return host.find(resources.Secret, configKey);
      },
      async () => reasonOf(await pass()),
    );
    expect(await management.find(resources.Secret, configKey)).toBeUndefined();
    const source = await backupSource(
      { management, remote: host, backupImage: 'x' },
      { name: 'demo', namespace, podSettings: undefined },
      'back',
    );
    expect(JSON.stringify(source?.volumes)).toContain('{"key":"keys.k1","path":"k1"}');

    isReachable = false;
    await eventually('the outage is reported', async () => {
      const restore = await pass();
      return JSON.stringify(restore?.status).includes(OUTAGE.message);
    });
    await management.delete(karmadaRestores, key);
    await pass();
    expect(await management.find(karmadaRestores, key)).toBeDefined();
    isReachable = true;
    await eventually('the restore is gone', async () => (await pass()) === undefined);
    expect(await host.find(resources.Secret, configKey)).toBeUndefined();
  });
});
