/** KarmadaBackup on a real API server: CRDs, Pod and status. Pods do not run there; the test writes their status. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { backupCrds } from '../../../scripts/crd/backups.ts';
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  UPGRADE_LABEL,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
  type KarmadaBackupStore,
} from '../../../src/api/backup/kinds.ts';
import type { Karmada, KarmadaStatus } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { statefulSetOf } from '../../../src/instance/__fixtures__/instance.ts';
import { withBackups } from '../../../src/controllers/backups/backup-reconciler.ts';
import { reconcileSchedule } from '../../../src/controllers/backups/schedule/reconcile-schedule.ts';
import { reconcileBackup } from '../../../src/controllers/backups/backup/reconcile-backup.ts';
import { reconcileStore } from '../../../src/controllers/backups/store/reconcile-store.ts';
import { createUpgradeBackup } from '../../../src/features/upgrade-backup/create-backup.ts';
import {
  decideUpgradeBackup,
  upgradeLabel,
} from '../../../src/features/upgrade-backup/decide-upgrade-backup.ts';
import { readBackups } from '../../../src/features/upgrade-backup/observe-upgrade-backup.ts';
import type { BackupDecision } from '../../../src/instance/upgrade-backup.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually, memoryLog } from '../../harness/servers/apiserver-client.ts';

const namespace = 'default';
const apiVersion = 'backup.operator.karmada.io/v1alpha1';

let api: ApiServer;
let client: KubernetesClient;

const tools = () => ({
  client,
  clusterOf: () => ({ client, isRemote: false }),
  clock: systemClock,
  image: 'example.com/op:1',
  operatorVersion: '1',
});

const bucket = {
  endpoint: 'https://s3.example.com',
  region: 'eu-1',
  bucket: 'backups',
  prefix: 'prod',
};
const s3 = { ...bucket, credentialsSecretRef: { name: 's3' } };
const encryption = { mode: 'AES256GCM', keySecretRef: { name: 'keys' }, keyID: 'k1' };

const store = (name: string, spec: object): KubernetesObject => ({
  apiVersion,
  kind: 'KarmadaBackupStore',
  metadata: { name, namespace },
  spec,
});

const backup = (name: string, storeName = 'main', karmada = 'karmada-demo'): KubernetesObject => ({
  apiVersion,
  kind: 'KarmadaBackup',
  metadata: { name, namespace },
  spec: { karmadaRef: { name: karmada }, storeRef: { name: storeName } },
});

const live = async (name: string): Promise<KarmadaBackup> =>
  (await client.get(karmadaBackups, { namespace, name })) as KarmadaBackup;

/** Expects that a further reconcile writes nothing. */
async function expectRest(name: string): Promise<void> {
  const { resourceVersion } = (await live(name)).metadata;
  expect((await reconciled(name)).metadata.resourceVersion).toBe(resourceVersion);
}

async function reconciled(name: string): Promise<KarmadaBackup> {
  await reconcileBackup(await live(name), tools());
  return live(name);
}

/** Writes the status that the kubelet would write. */
const runs = (name: string, status: object): Promise<unknown> =>
  client.patch(
    resources.Pod,
    { namespace, name: `${name}-backup` },
    { status },
    { subresource: 'status' },
  );

const ended = (name: string, exitCode: number, result: object): object => ({
  name,
  image: 'x',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode, message: JSON.stringify(result) } },
});

const MANIFEST = 'a1'.repeat(32);

const TAKEN = {
  backup: {
    manifestSHA256: MANIFEST,
    keyID: 'k1',
    caSHA256: 'b2'.repeat(32),
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
  },
};

beforeAll(async () => {
  api = await startApiServer();
  const backups = [karmadaBackups, karmadaBackupSchedules, karmadaBackupStores];
  client = adminClient(api, { resources: [karmadas, ...backups] });
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

describe('kinds of backups', () => {
  it('are not watched before their CRDs are installed, and are watched afterwards', async () => {
    const started: string[] = [];
    const stub = {
      synced: Promise.resolve(),
      unready: () => undefined,
      rest: () => undefined,
      flowOf: () => ({ group: '', tenant: '' }),
      reconcile: () => Promise.resolve({}),
      start: () => undefined,
      stop: () => Promise.resolve(),
      clusterOf: () => ({ client, isRemote: false }),
    };
    let looks = 0;
    const clock = {
      ...systemClock,
      after: (ms: number, act: () => void) => {
        looks += 1;
        return systemClock.after(ms / 100, act);
      },
    };
    const log = memoryLog();
    const common = { client, clock, random: Math.random, log };
    const kinds = withBackups(stub, { ...common, image: 'x', operatorVersion: '1' });
    kinds.start({ add: (key: string) => void started.push(key) } as never);
    expect(await readBackups(client, namespace, 'none')).toEqual({ state: 'notInstalled' });
    // A cluster without the kinds is no fault.
    await eventually('discovery has looked twice', () => looks >= 2);
    expect(log.lines).toEqual([]);
    const text = await readFile(join(checkout, 'crds/operator.karmada.io_karmadas.yaml'), 'utf8');
    await client.create(load(text) as KubernetesObject);
    for (const crd of Object.values(backupCrds)) await client.create(crd);
    await eventually('the kinds are served', async () => {
      const types = [karmadas, karmadaBackups, karmadaBackupSchedules, karmadaBackupStores];
      const lists = types.map((type: ResourceType) => client.list(type));
      return Promise.all(lists).then(
        () => true,
        () => false,
      );
    });
    const watched = backup('watched', 'none', 'none');
    const labels = { [UPGRADE_LABEL]: 'v1.18.2_v1.35.4_3.6.14' };
    await client.create({ ...watched, metadata: { ...watched.metadata, labels } });
    await eventually('the backup is in the queue', () =>
      started.includes('KarmadaBackup:default/watched'),
    );
    // The upgrade of its Karmada waits for it.
    expect(started).toContain('default/none');
    await kinds.stop();
  });

  it.each<[string, object, string]>([
    ['both places', { s3, volume: { claimName: 'x' }, encryption }, 'exactly one of'],
    ['no place', { encryption }, 'exactly one of'],
    ['no encryption', { s3 }, 'encryption'],
    ['no key', { s3, encryption: { mode: 'AES256GCM' } }, 'required for AES256GCM'],
    [
      'a key without encryption',
      { s3, encryption: { ...encryption, mode: 'None' } },
      'not allowed',
    ],
    [
      'a KMS key for another type',
      { s3: { ...s3, sse: { type: 'AES256', kmsKeyID: 'k' } }, encryption },
      'kmsKeyID is only allowed for aws:kms',
    ],
    [
      'a lock of no days',
      { s3: { ...s3, objectLock: { mode: 'GOVERNANCE', days: 0 } }, encryption },
      'days',
    ],
    ['a path', { s3: { ...s3, endpoint: 'https://x/y' }, encryption }, 'endpoint'],
    ['a relative prefix', { s3: { ...s3, prefix: '../x' }, encryption }, 'prefix'],
  ])('reject a store with %s', async (_, spec, text) => {
    await expect(client.create(store('wrong', spec))).rejects.toThrow(text);
  });

  it('reject a changed spec and a long name', async () => {
    await client.create(store('main', { s3, encryption }));
    const created = await client.create(backup('fixed', 'main', 'none'));
    const changed = { spec: { karmadaRef: { name: 'other' } } };
    const patch = client.patch(karmadaBackups, created.metadata, changed);
    await expect(patch).rejects.toThrow('spec cannot be changed');
    await expect(client.create(backup('n'.repeat(53)))).rejects.toThrow('at most 52');
  });
});

describe('reconcileStore', () => {
  const podKey = { namespace, name: 'probed-probe' };
  const secret = (name: string, stringData: object): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    stringData,
  });

  /** Reconciles once. @returns the store, with its condition as text */
  async function pass(name: string): Promise<{ found: KarmadaBackupStore; ready: string }> {
    const key = { namespace, name };
    const before = (await client.get(karmadaBackupStores, key)) as KarmadaBackupStore;
    await reconcileStore(before, tools());
    const found = (await client.get(karmadaBackupStores, key)) as KarmadaBackupStore;
    const [one] = found.status?.conditions ?? [];
    return { found, ready: `${one?.status ?? ''} ${one?.reason ?? ''}: ${one?.message ?? ''}` };
  }

  const podEnds = async (phase: string, result: object): Promise<void> => {
    const containerStatuses = [ended('probe', phase === 'Failed' ? 1 : 0, result)];
    const options = { subresource: 'status' } as const;
    await client.patch(resources.Pod, podKey, { status: { phase, containerStatuses } }, options);
  };

  it('names a missing Secret and an invalid one by their fields', async () => {
    const refs = { credentialsSecretRef: { name: 'probed-s3' } };
    const keys = { ...encryption, keySecretRef: { name: 'probed-keys' } };
    await client.create(store('probed', { s3: { ...s3, ...refs }, encryption: keys }));
    const first = await pass('probed');
    expect(first.ready).toContain('False StoreSecretNotFound: spec.s3.credentialsSecretRef: ');
    const { resourceVersion } = first.found.metadata;
    expect((await pass('probed')).found.metadata.resourceVersion).toBe(resourceVersion);
    await client.create(secret('probed-s3', { accessKeyID: 'planted-1', secretAccessKey: 'x' }));
    await client.create(secret('probed-keys', { k1: 'planted-2' }));
    const { ready } = await pass('probed');
    expect(ready).toContain('False StoreSecretInvalid: spec.encryption.keySecretRef: ');
    expect(ready).not.toContain('planted');
  });

  it('probes a bucket with a Pod after a change, and is then at rest', async () => {
    const key = { namespace, name: 'probed-keys' };
    await client.patch(resources.Secret, key, { stringData: { k1: 'ab'.repeat(32) } });
    expect((await pass('probed')).ready).toContain('Unknown Probing');
    const { spec } = await client.get(resources.Pod, podKey);
    expect(JSON.stringify(spec)).toContain('"args":["backup-job","probe"]');
    expect(JSON.stringify(spec)).toContain('"automountServiceAccountToken":false');
    await pass('probed');
    const config = await client.get(resources.Secret, podKey);
    const { 'config.json': text = '' } = config['data'] as Record<string, string>;
    expect(JSON.parse(Buffer.from(text, 'base64').toString('utf8'))).toMatchObject({
      folder: expect.stringMatching(/^prod\/probe-[0-9a-f-]{36}$/),
    });
    await podEnds('Failed', { error: 'PUT prod/x: 403 AccessDenied; spec.s3: allow it' });
    expect((await pass('probed')).ready).toBe(
      'False ProbeFailed: PUT prod/x: 403 AccessDenied; spec.s3: allow it',
    );
    // No garbage collector runs here.
    await client.delete(resources.Secret, podKey);
    await client.patch(resources.Secret, { ...key, name: 'probed-s3' }, { stringData: { a: 'b' } });
    await eventually('another Pod probes', async () => {
      await pass('probed');
      return client.find(resources.Pod, podKey);
    });
    await podEnds('Succeeded', {});
    const { ready, found } = await pass('probed');
    expect(ready).toContain('True ProbeSucceeded');
    expect(found.status?.probedAt).toBeDefined();
    await eventually(
      'the Pod is gone',
      async () => (await client.find(resources.Pod, podKey)) === undefined,
    );
    const again = await pass('probed');
    expect(again.found.metadata.resourceVersion).toBe(found.metadata.resourceVersion);
    expect(await client.find(resources.Pod, podKey)).toBeUndefined();
  });

  it('looks for the PVC of a volume', async () => {
    const volume = { claimName: 'probed-claim' };
    await client.create(store('claimed', { volume, encryption: { mode: 'None' } }));
    expect((await pass('claimed')).ready).toContain('Unknown ClaimNotFound: spec.volume.claimName');
    await client.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: volume.claimName, namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect((await pass('claimed')).ready).toContain('True ClaimFound');
  });
});

describe('reconcileBackup', () => {
  it('reports what is missing and creates nothing', async () => {
    const found = await reconciled('fixed');
    expect(found.status).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'Stored' }, { type: 'Verified', reason: 'KarmadaNotFound' }],
    });
    await expectRest('fixed');
  });

  it('creates one Pod, and reports a verified backup', async () => {
    await client.create({
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name: 'karmada-demo', namespace },
      spec: {},
    });
    const set = statefulSetOf({ replicas: 3 }).object;
    await client.create({ ...set, metadata: { ...set.metadata, namespace } });
    await client.create(backup('good'));
    await reconciled('good');
    const pod = await client.get(resources.Pod, { namespace, name: 'good-backup' });
    const { uid } = pod.metadata;
    const spec = JSON.stringify(pod['spec']);
    expect(spec).toContain('"automountServiceAccountToken":false');
    expect((await reconciled('good')).status?.phase).toBe('Running');
    await expectRest('good');
    await runs('good', { phase: 'Pending', initContainerStatuses: [ended('take', 0, TAKEN)] });
    expect((await reconciled('good')).status).toMatchObject({
      phase: 'Verifying',
      revision: '77',
      sizeBytes: 1000,
      hash: '9',
      folder: expect.stringMatching(/^prod\/default\/karmada-demo\/\d{8}T\d{6}Z-[0-9a-f-]{36}$/),
    });
    await expectRest('good');
    const statuses = {
      initContainerStatuses: [ended('take', 0, TAKEN), ended('etcd', 1, {})],
      containerStatuses: [ended('compare', 0, { isProven: true, manifestSHA256: MANIFEST })],
    };
    await runs('good', { phase: 'Succeeded', ...statuses });
    expect((await reconciled('good')).status).toMatchObject({
      phase: 'Verified',
      verifiedAt: expect.any(String),
      manifestSHA256: MANIFEST,
      keyID: 'k1',
      caSHA256: 'b2'.repeat(32),
      conditions: [
        { type: 'Stored', status: 'True' },
        { type: 'Verified', status: 'True' },
        { type: 'OriginProven', status: 'True', reason: 'OriginRecorded' },
      ],
    });
    await reconciled('good');
    const left = await client.find(resources.Pod, { namespace, name: 'good-backup' });
    expect(left?.metadata.uid === uid && left?.metadata.deletionTimestamp === undefined).toBe(
      false,
    );
    await expectRest('good');
  });

  it('names a failed proof, and keeps the Pod', async () => {
    await client.create(backup('unproven'));
    await reconciled('unproven');
    await runs('unproven', {
      phase: 'Failed',
      initContainerStatuses: [
        ended('take', 0, TAKEN),
        ended('fetch', 1, { error: 'etcd.snapshot: chunk 3 is damaged' }),
      ],
    });
    const { status } = await reconciled('unproven');
    expect(status?.phase).toBe('Failed');
    expect(status?.conditions).toMatchObject([
      { type: 'Stored', status: 'True', reason: 'ProofFailed' },
      { type: 'Verified', status: 'False', message: expect.stringContaining('chunk 3 is damaged') },
      { type: 'OriginProven' },
    ]);
    await expectRest('unproven');
    expect(await client.find(resources.Pod, { namespace, name: 'unproven-backup' })).toBeDefined();
  });

  it('does not verify another manifest than the one that was stored', async () => {
    await client.create(backup('exchanged'));
    await reconciled('exchanged');
    await runs('exchanged', {
      phase: 'Succeeded',
      initContainerStatuses: [ended('take', 0, TAKEN)],
      containerStatuses: [ended('compare', 0, { isProven: true, manifestSHA256: 'c3'.repeat(32) })],
    });
    const { status } = await reconciled('exchanged');
    expect(status).toMatchObject({ phase: 'Failed', manifestSHA256: MANIFEST });
    expect(status?.conditions?.[1]?.message).toContain('the store returned another manifest');
    await expectRest('exchanged');
  });

  it('verifies an existing folder with the named key, and says that its origin is not proven', async () => {
    const { spec, ...object } = backup('folder') as KubernetesObject & { spec: object };
    const wrong = client.create({ ...object, spec: { ...spec, keyID: 'k0' } });
    await expect(wrong).rejects.toThrow('keyID is only allowed with folder');
    await client.create({ ...object, spec: { ...spec, folder: 'prod/x', keyID: 'k0' } });
    await reconciled('folder');
    await reconciled('folder');
    const secret = await client.get(resources.Secret, { namespace, name: 'folder-backup' });
    const { 'config.json': text = '' } = secret['data'] as Record<string, string>;
    expect(JSON.parse(Buffer.from(text, 'base64').toString('utf8'))).toMatchObject({
      folder: 'prod/x',
      isExisting: true,
      encryption: { keyID: 'k0' },
    });
    await runs('folder', {
      phase: 'Succeeded',
      initContainerStatuses: [ended('fetch', 0, TAKEN)],
      containerStatuses: [ended('compare', 0, { isProven: true, manifestSHA256: MANIFEST })],
    });
    const { status } = await reconciled('folder');
    expect(status).toMatchObject({ phase: 'Verified', manifestSHA256: MANIFEST });
    expect(status?.conditions?.[2]).toMatchObject({
      type: 'OriginProven',
      status: 'False',
      reason: 'OriginNotRecorded',
    });
    await expectRest('folder');
  });

  it('runs with the ServiceAccount of the store, and reports a Pod that the API server refuses', async () => {
    const podIdentity = {
      serviceAccountName: 'backup',
      roleARN: 'arn:aws:iam::123456789012:role/b',
    };
    const spec = { s3: { ...bucket, podIdentity }, encryption: { mode: 'None' } };
    for (const [wrong, message] of [
      [s3, 'set exactly one of credentialsSecretRef and podIdentity'],
      [{ endpoint: 'http://s3.example.com' }, 'podIdentity needs an endpoint with https'],
      [
        {
          endpoint: 'https://s3.eu-1.amazonaws.com',
          podIdentity: { serviceAccountName: 'backup' },
        },
        'AWS needs podIdentity.roleARN',
      ],
    ] as const) {
      const invalid = { ...spec, s3: { ...spec.s3, ...wrong } };
      await expect(client.create(store('invalid', invalid))).rejects.toThrow(message);
    }
    await client.create(store('by-identity', spec));
    const limits = { limits: [{ type: 'Container', min: { memory: '9Gi' } }] };
    const limit = await client.create({
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'high', namespace },
      spec: limits,
    });
    await client.create(backup('by-identity', 'by-identity'));
    await eventually('the limit is known to admission', async () => {
      const { status } = await reconciled('by-identity');
      return status?.conditions?.[0]?.reason === 'PodRefused';
    });
    const refused = await live('by-identity');
    expect(refused.status?.phase).toBe('Pending');
    expect(refused.status?.conditions?.[0]?.message).toMatch(
      /refused Pod by-identity-backup: .*memory/,
    );
    await expectRest('by-identity');
    const { name } = limit.metadata;
    await client.delete(client.typeOf(limit), { namespace, name });
    const key = { namespace, name: 'by-identity-backup' };
    const pod = await eventually('the Pod is created', async () => {
      await reconciled('by-identity');
      return client.find(resources.Pod, key);
    });
    const token = { path: 'token', audience: 'https://s3.example.com', expirationSeconds: 3600 };
    expect(pod['spec']).toMatchObject({
      serviceAccountName: 'backup',
      automountServiceAccountToken: false,
      volumes: expect.arrayContaining([
        expect.objectContaining({
          name: 'identity',
          projected: expect.objectContaining({ sources: [{ serviceAccountToken: token }] }),
        }),
      ]),
    });
    expect(JSON.stringify(pod['spec'])).not.toContain('secret-credentials');
    await client.delete(resources.Pod, key);
  });

  it('reports a Pod that is gone, and does not start again', async () => {
    await client.create(backup('gone'));
    await reconciled('gone');
    await reconciled('gone');
    const key = { namespace, name: 'gone-backup' };
    await client.delete(resources.Pod, key, { gracePeriodSeconds: 0 });
    expect((await reconciled('gone')).status).toMatchObject({
      phase: 'Failed',
      conditions: [{ type: 'Stored', status: 'False', reason: 'PodGone' }, {}],
    });
    await expectRest('gone');
    expect(await client.find(resources.Pod, key)).toBeUndefined();
  });

  it('uses a volume without encryption', async () => {
    const volume = { claimName: 'backups', prefix: 'here' };
    await client.create(store('plain', { volume, encryption: { mode: 'None' } }));
    await client.create(backup('plain', 'plain'));
    await reconciled('plain');
    const pod = await client.get(resources.Pod, { namespace, name: 'plain-backup' });
    expect(JSON.stringify(pod['spec'])).toContain('"claimName":"backups"');
  });
});

describe('deletion of a KarmadaBackup', () => {
  const key = { namespace, name: 'short' };
  const podKey = { namespace, name: 'short-delete' };

  it('waits until its files are deleted, if that is asked for', async () => {
    const { spec, ...object } = backup('short', 'plain') as KubernetesObject & { spec: object };
    await client.create({ ...object, spec: { ...spec, deletionPolicy: 'Delete' } });
    await reconciled('short');
    expect(await client.find(resources.Pod, { namespace, name: 'short-backup' })).toBeUndefined();
    await reconciled('short');
    await client.delete(karmadaBackups, key);
    // The Pod of the backup has no node, so it is gone at once.
    await reconciled('short');
    await reconciled('short');
    const pod = await client.get(resources.Pod, podKey);
    expect(JSON.stringify(pod['spec'])).toContain('"args":["backup-job","delete"]');
    const secret = await client.get(resources.Secret, podKey);
    const { 'config.json': text = '' } = secret['data'] as Record<string, string>;
    expect(JSON.parse(Buffer.from(text, 'base64').toString('utf8'))).toMatchObject({
      folder: expect.stringMatching(/^here\/default\/karmada-demo\//),
    });
    expect((await reconciled('short')).status).toMatchObject({
      phase: 'Deleting',
      conditions: [{}, { reason: 'DeletingFiles' }],
    });
    await expectRest('short');
    const options = { subresource: 'status' } as const;
    await client.patch(resources.Pod, podKey, { status: { phase: 'Succeeded' } }, options);
    await reconcileBackup(await live('short'), tools());
    expect(await client.find(karmadaBackups, key)).toBeUndefined();
  });
});

describe('reconcileSchedule', () => {
  const template = { karmadaRef: { name: 'karmada-demo' }, storeRef: { name: 'main' } };
  const scheduleOf = (name: string, spec: object = {}): KubernetesObject => ({
    apiVersion,
    kind: 'KarmadaBackupSchedule',
    metadata: { name, namespace },
    spec: { schedule: '* * * * *', template, ...spec },
  });

  /** Reconciles at a time after now. */
  async function scheduled(name: string, laterMs: number): Promise<KarmadaBackupSchedule> {
    const key = { namespace, name };
    const schedule = (await client.get(karmadaBackupSchedules, key)) as KarmadaBackupSchedule;
    const { items } = await client.list(karmadaBackups, { namespace });
    const clock = { wall: () => systemClock.wall() + laterMs };
    await reconcileSchedule(schedule, items as KarmadaBackup[], { client, clock });
    return (await client.get(karmadaBackupSchedules, key)) as KarmadaBackupSchedule;
  }

  it.each<[string, string, object, string]>([
    ['four fields', 'wrong', { schedule: '0 3 * *' }, 'schedule'],
    ['another character', 'wrong', { schedule: '0 3 * * $' }, 'schedule'],
    ['no store', 'wrong', { template: { karmadaRef: { name: 'a' } } }, 'storeRef'],
    ['a long name', 'n'.repeat(38), {}, 'at most 37'],
  ])('does not happen with %s', async (_, name, spec, text) => {
    await expect(client.create(scheduleOf(name, spec))).rejects.toThrow(text);
  });

  it('creates a backup with the template, and is then at rest', async () => {
    await client.create(scheduleOf('often'));
    const { status, metadata } = await scheduled('often', 120_000);
    const name = status?.lastBackup ?? '';
    expect(status).toMatchObject({ conditions: [{ type: 'Scheduled', status: 'True' }] });
    expect(await live(name)).toMatchObject({
      metadata: { labels: { 'backup.operator.karmada.io/schedule': 'often' } },
      spec: template,
    });
    const again = await scheduled('often', 120_000);
    expect(again.status?.lastBackup).toBe(name);
    expect(again.metadata.resourceVersion).toBe(metadata.resourceVersion);
    const deleted = client.delete(karmadaBackupSchedules, { namespace, name: 'often' });
    await deleted;
    expect((await live(name)).metadata.deletionTimestamp).toBeUndefined();
  });

  it('deletes older backups, and keeps the last verified ones', async () => {
    await client.create(scheduleOf('kept', { retention: { keepLast: 1 } }));
    const names = ['kept-1', 'kept-2'];
    for (const name of names) {
      const labels = { 'backup.operator.karmada.io/schedule': 'kept' };
      const created = await client.create({
        ...backup(name),
        metadata: { name, namespace, labels },
      });
      const status = { phase: 'Verified' };
      await client.patch(karmadaBackups, created.metadata, { status }, { subresource: 'status' });
      await eventually(
        'the next second',
        () => Date.now() > Date.parse(String(created.metadata.creationTimestamp)) + 1_000,
      );
    }
    await scheduled('kept', 0);
    const found = names.map((name) => client.find(karmadaBackups, { namespace, name }));
    expect((await Promise.all(found)).map((one) => one !== undefined)).toEqual([false, true]);
  });

  it('reports a suspended schedule, without the next time', async () => {
    await client.create(scheduleOf('rare', { schedule: '@yearly' }));
    expect((await scheduled('rare', 0)).status?.nextScheduleTime).toMatch(/-01-01T00:00:00Z$/);
    const key = { namespace, name: 'rare' };
    await client.patch(karmadaBackupSchedules, key, { spec: { suspend: true } });
    const { status } = await scheduled('rare', 0);
    expect(status?.nextScheduleTime).toBeUndefined();
    expect(status?.conditions).toMatchObject([{ status: 'False', reason: 'ScheduleSuspended' }]);
  });
});

describe('backup before an upgrade', () => {
  const to = { karmada: 'v1.18.2', kubernetes: 'v1.35.4', etcd: '3.6.14' };
  const moved = [{ subject: 'karmada', before: 'v1.17.1', after: 'v1.18.2' }] as const;
  const label = upgradeLabel(to);

  async function decided(status: KarmadaStatus = {}): Promise<BackupDecision> {
    const karmada = (await client.get(karmadas, { namespace, name: 'karmada-demo' })) as Karmada;
    const reading = await readBackups(client, namespace, label);
    return decideUpgradeBackup({ karmada, status, to, moved, now: systemClock.wall() }, reading);
  }

  const createOf = (decision: BackupDecision): KarmadaBackup => {
    if (decision.kind !== 'wait' || decision.create === undefined)
      throw new Error(`nothing is created: ${JSON.stringify(decision)}`);
    return decision.create;
  };

  it('is created once, and is found by its label', async () => {
    const wanted = createOf(await decided());
    const action = { kind: 'createUpgradeBackup', backup: wanted } as const;
    expect(await createUpgradeBackup(client, action)).toEqual({ writes: 1 });
    // The process ended before it knew the result.
    expect(await createUpgradeBackup(client, action)).toEqual({});
    const { name } = wanted.metadata;
    expect(await decided()).toMatchObject({ kind: 'wait', name });
    await reconciled(name);
    await runs(name, {
      phase: 'Failed',
      initContainerStatuses: [ended('take', 1, { error: 'x' })],
    });
    expect((await reconciled(name)).status?.phase).toBe('Failed');
    const named = { upgrade: { backup: name, step: 'backup' } };
    expect(await decided(named)).toMatchObject({ kind: 'blocked', reason: 'UpgradeBackupFailed' });
    await client.delete(karmadaBackups, { namespace, name });
    expect(createOf(await decided(named)).metadata.labels).toEqual({ [UPGRADE_LABEL]: label });
  });

  it('does not take the place of another KarmadaBackup', async () => {
    const create = createOf(await decided());
    await client.create(backup(create.metadata.name));
    const action = { kind: 'createUpgradeBackup', backup: create } as const;
    const { blockedChange } = await createUpgradeBackup(client, action);
    expect(blockedChange).toMatchObject({ reason: 'UpgradeBackupFailed' });
  });

  it('waits if the kinds cannot be read', async () => {
    const list = client.list.bind(client);
    const raw = () => Promise.resolve({ status: 500, body: '' });
    expect(await readBackups({ list, raw }, namespace, label)).toMatchObject({ state: 'unknown' });
  });
});
