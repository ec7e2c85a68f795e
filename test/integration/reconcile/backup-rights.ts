/** Takes a backup with only the permissions of the role for the management cluster. The test writes the Pod's status. */
import { expect } from '@jest/globals';
import { backupCrds } from '../../../scripts/crd/backups.ts';
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  karmadaRestores,
  type KarmadaBackup,
} from '../../../src/api/backup/kinds.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import { instanceName, SECRET_SUFFIX, WORKLOAD_SUFFIX } from '../../../src/api/naming.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { withBackups } from '../../../src/controllers/backups/backup-reconciler.ts';
import { RECORD_ANNOTATION } from '../../../src/etcd-cluster/identity/record.ts';
import { backupSource } from '../../../src/features/etcd-recovery/backup-source.ts';
import { RECOVER_ANNOTATION } from '../../../src/etcd-cluster/recovery/survivors.ts';
import { readBackups } from '../../../src/features/upgrade-backup/observe-upgrade-backup.ts';
import { VOLUME_CLAIM } from '../../harness/etcd-scene.ts';
import { adminClient, eventually, memoryLog } from '../../harness/servers/apiserver-client.ts';
import { objectOf } from './common-rights.ts';
import type { WithRoles } from './roles.ts';

const apiVersion = 'backup.operator.karmada.io/v1alpha1';
/** Labels of the objects of the control plane. */
const OWN = { [MANAGED_BY]: MANAGER, [INSTANCE]: 'saved' };
const NO_KARMADAS = {
  synced: Promise.resolve(),
  unready: () => undefined,
  rest: () => undefined,
  flowOf: () => ({ group: '', tenant: '' }),
  reconcile: () => Promise.resolve({}),
  start: () => undefined,
  stop: () => Promise.resolve(),
};

const ended = (name: string, result: object): object => ({
  name,
  image: 'x',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode: 0, message: JSON.stringify(result) } },
});

const etcd = {
  version: '3',
  clusterID: 'c',
  memberID: 'd',
  revision: '7',
  keys: '5',
  hashes: [{ hash: '1', compactRevision: '1' }],
};
const SUCCEEDED = {
  phase: 'Succeeded',
  initContainerStatuses: [
    ended('take', {
      backup: { createdAt: '2026-01-01T00:00:00Z', etcd, sizeBytes: 1, storedBytes: 1 },
    }),
  ],
  containerStatuses: [ended('compare', { isProven: true })],
};

/** A Karmada, its etcd, a store and a backup. */
function objectsIn(namespace: string): readonly KubernetesObject[] {
  const set = objectOf('StatefulSet', namespace) as KubernetesObject & { spec: object };
  const template = {
    metadata: { labels: set.metadata.labels },
    spec: { containers: [{ name: 'etcd', image: 'registry.example.com/etcd:1' }] },
  };
  const store = { volume: { claimName: 'backups' }, encryption: { mode: 'None' } };
  const refs = { karmadaRef: { name: 'saved' }, storeRef: { name: 'main' } };
  const named = (name: string): KubernetesObject['metadata'] => ({ name, namespace });
  return [
    {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: named('saved'),
      spec: { components: { etcd: { local: { volumeData: VOLUME_CLAIM } } } },
    },
    {
      ...set,
      metadata: {
        name: instanceName('saved', WORKLOAD_SUFFIX.etcd),
        namespace,
        labels: { ...set.metadata.labels, ...OWN },
      },
      spec: { ...set.spec, template },
    } as KubernetesObject,
    { apiVersion, kind: 'KarmadaBackupStore', metadata: named('main'), spec: store },
    {
      apiVersion,
      kind: 'KarmadaBackup',
      metadata: named('one'),
      spec: { ...refs, deletionPolicy: 'Delete' },
    },
    {
      apiVersion,
      kind: 'KarmadaBackupSchedule',
      metadata: named('often'),
      spec: {
        schedule: '* * * * *',
        retention: { keepLast: 1 },
        template: { ...refs, storeRef: { name: 'other' } },
      },
    },
  ];
}

/** A clock for which a schedule that was created just now is due. */
const LATER = { ...systemClock, wall: () => systemClock.wall() + 120_000 };

/** Reconciles the schedule until it has created a backup. */
async function expectScheduled(
  kinds: ReturnType<typeof withBackups>,
  admin: KubernetesClient,
  namespace: string,
): Promise<void> {
  await eventually('the schedule has created a backup', async () => {
    await kinds.reconcile(`KarmadaBackupSchedule:${namespace}/often`, new AbortController().signal);
    const { items } = await admin.list(karmadaBackups, { namespace });
    const schedule = await admin.get(karmadaBackupSchedules, { namespace, name: 'often' });
    return items.length === 2 && schedule['status'] !== undefined;
  });
}

/** Reconciles the schedule until it has deleted the older one of two verified backups. */
async function expectExpired(
  kinds: ReturnType<typeof withBackups>,
  admin: KubernetesClient,
  namespace: string,
): Promise<void> {
  const spec = { karmadaRef: { name: 'saved' }, storeRef: { name: 'other' } };
  const labels = { 'backup.operator.karmada.io/schedule': 'often' };
  for (const name of ['often-a', 'often-b']) {
    const metadata = { name, namespace, labels };
    const created = await admin.create({ apiVersion, kind: 'KarmadaBackup', metadata, spec });
    const status = { phase: 'Verified' };
    await admin.patch(karmadaBackups, created.metadata, { status }, { subresource: 'status' });
    const next = Date.parse(created.metadata.creationTimestamp ?? '') + 1_000;
    await eventually('the next second', () => Date.now() > next);
  }
  await eventually('the older backup is deleted', async () => {
    await kinds.reconcile(`KarmadaBackupSchedule:${namespace}/often`, new AbortController().signal);
    return (await admin.find(karmadaBackups, { namespace, name: 'often-a' })) === undefined;
  });
}

/** Reconciles the store until its condition says that the PVC is missing. */
const expectReported = (
  kinds: ReturnType<typeof withBackups>,
  admin: KubernetesClient,
  namespace: string,
): Promise<unknown> =>
  eventually('the store has a condition', async () => {
    await kinds.reconcile(`KarmadaBackupStore:${namespace}/main`, new AbortController().signal);
    const found = await admin.get(karmadaBackupStores, { namespace, name: 'main' });
    return JSON.stringify(found['status'] ?? {}).includes('ClaimNotFound');
  });

/** Starts a restore and withdraws it, with the permissions of the operator. */
async function expectRestored(
  kinds: ReturnType<typeof withBackups>,
  { admin, client }: Readonly<Record<'admin' | 'client', KubernetesClient>>,
  namespace: string,
): Promise<void> {
  const key = { namespace, name: 'back' };
  const record = { state: 'born', token: 't', members: 1, clusterID: 'c', ca: 'x' };
  const annotations = { [RECORD_ANNOTATION]: JSON.stringify(record) };
  const secret = instanceName('saved', SECRET_SUFFIX.caBackup);
  await admin.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret, namespace, annotations, labels: OWN },
  });
  const refs = { karmadaRef: { name: 'saved' }, backupRef: { name: 'one' } };
  const spec = { ...refs, confirmation: 'c' };
  await admin.create({ apiVersion, kind: 'KarmadaRestore', metadata: key, spec });
  const pass = () =>
    kinds.reconcile(`KarmadaRestore:${namespace}/back`, new AbortController().signal);
  const value = async (): Promise<string | undefined> => {
    await pass();
    const { metadata } = await admin.get(karmadas, { namespace, name: 'saved' });
    return metadata.annotations?.[RECOVER_ANNOTATION];
  };
  await eventually('the Karmada is annotated', async () => (await value()) === 'restore:back/c/7');
  const source = await backupSource(
    { management: client, backupImage: 'x' },
    { ...key, name: 'saved', podSettings: undefined },
    'back',
  );
  expect(source?.container?.args).toEqual(['backup-job', 'load']);
  await admin.delete(karmadaRestores, key);
  await eventually('the restore is withdrawn', async () => {
    const left = await value();
    return left === undefined && (await admin.find(karmadaRestores, key)) === undefined;
  });
}

/** Takes one backup of a Karmada in the namespace. @returns status of the backup, and lines that the operator logged */
export async function takeBackup(
  { api, client }: WithRoles,
  namespace: string,
): Promise<{ readonly status: KarmadaBackup['status']; readonly lines: readonly string[] }> {
  const admin = adminClient(api, {
    resources: [
      karmadas,
      karmadaBackups,
      karmadaBackupSchedules,
      karmadaBackupStores,
      karmadaRestores,
    ],
  });
  for (const crd of Object.values(backupCrds)) await admin.create(crd);
  const log = memoryLog();
  const options = { client, clock: LATER, random: Math.random, log };
  const kinds = withBackups(
    { ...NO_KARMADAS, clusterOf: () => ({ client, isRemote: false }) },
    { ...options, image: 'x', operatorVersion: '1' },
  );
  await eventually('the kinds are served', () =>
    Promise.all([admin.list(karmadaBackups), admin.list(karmadaBackupStores)]).then(
      () => true,
      () => false,
    ),
  );
  try {
    kinds.start({ add: () => undefined } as never);
    for (const object of objectsIn(namespace)) await admin.create(object);
    const pod = { namespace, name: 'one-backup' };
    const pass = () =>
      kinds.reconcile(`KarmadaBackup:${namespace}/one`, new AbortController().signal);
    let seen: KarmadaBackup['status'];
    await eventually(
      'the Pod is created',
      async () => {
        await pass();
        seen = ((await admin.get(karmadaBackups, { namespace, name: 'one' })) as KarmadaBackup)
          .status;
        return admin.find(resources.Pod, pod);
      },
      () => [seen, log.lines],
    );
    await admin.patch(resources.Pod, pod, { status: SUCCEEDED }, { subresource: 'status' });
    await eventually('the Pod is deleted', async () => {
      await pass();
      return (await admin.find(resources.Pod, pod)) === undefined;
    });
    await expectReported(kinds, admin, namespace);
    await expectScheduled(kinds, admin, namespace);
    await expectExpired(kinds, admin, namespace);
    await expectRestored(kinds, { admin, client }, namespace);
    const reading = await readBackups(client, namespace, 'none');
    expect(reading).toMatchObject({ state: 'read', stores: ['main'] });
    const found = await admin.get(karmadaBackups, { namespace, name: 'one' });
    return { status: (found as KarmadaBackup).status, lines: log.lines };
  } finally {
    await kinds.stop();
    await admin.close();
  }
}
