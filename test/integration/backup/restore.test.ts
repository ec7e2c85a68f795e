/** KarmadaRestore on a real API server. etcd does not run there; the test writes the record as the operator would. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { backupCrds } from '../../../scripts/crd/backups.ts';
import {
  karmadaBackups,
  karmadaBackupStores,
  karmadaRestores,
  type KarmadaRestore,
} from '../../../src/api/backup/kinds.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { reconcileRestore } from '../../../src/controllers/backups/restore/reconcile-restore.ts';
import { RECORD_ANNOTATION } from '../../../src/etcd-cluster/identity/record.ts';
import { CONDITION_TYPE } from '../../../src/conditions/condition-types.ts';
import { RECOVER_ANNOTATION } from '../../../src/etcd-cluster/recovery/survivors.ts';
import { PROPAGATION_PAUSED } from '../../../src/features/propagation/propagation.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { VOLUME_CLAIM } from '../../harness/etcd-scene.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';

const namespace = 'default';
const apiVersion = 'backup.operator.karmada.io/v1alpha1';
const VALUE = 'restore:back/a/50';
const RECORD = { state: 'born', token: 't', members: 3, clusterID: 'a', ca: 'x' };
const CA_BACKUP = { namespace, name: 'demo-karmada-ca-backup' };

let api: ApiServer;
let client: KubernetesClient;

const tools = () => ({
  client,
  clock: systemClock,
  image: 'x',
  operatorVersion: '1',
  clusterOf: () => ({ client, isRemote: false }),
});

const restoreOf = (name: string, spec: object = {}): KubernetesObject => ({
  apiVersion,
  kind: 'KarmadaRestore',
  metadata: { name, namespace },
  spec: { karmadaRef: { name: 'demo' }, backupRef: { name: 'first' }, ...spec },
});

const live = async (name = 'back'): Promise<KarmadaRestore> =>
  (await client.get(karmadaRestores, { namespace, name })) as KarmadaRestore;

const annotations = async (): Promise<Readonly<Record<string, string>>> =>
  (await client.get(karmadas, { namespace, name: 'demo' })).metadata.annotations ?? {};

/** Reconciles until nothing changes. Each pass makes one change, and starts from live objects as after a crash. */
async function atRest(name = 'back'): Promise<KarmadaRestore> {
  const versions = async (): Promise<string> => {
    const restore = await client.find(karmadaRestores, { namespace, name });
    return JSON.stringify([restore?.metadata.resourceVersion, await annotations()]);
  };
  for (let pass = 0; pass < 10; pass += 1) {
    const before = await versions();
    const restore = await client.find(karmadaRestores, { namespace, name });
    if (restore === undefined) break;
    await reconcileRestore(restore as KarmadaRestore, tools());
    if ((await versions()) === before) return live(name);
  }
  throw new Error(`KarmadaRestore ${name} is gone or changes all the time`);
}

const record = (change: object): Promise<unknown> => {
  const text = JSON.stringify({ ...RECORD, ...change });
  const metadata = { annotations: { [RECORD_ANNOTATION]: text } };
  return client.patch(resources.Secret, CA_BACKUP, { metadata });
};

const patch = (spec: object): Promise<unknown> =>
  client.patch(karmadaRestores, { namespace, name: 'back' }, { spec });

const annotateKarmada = (change: Record<string, string | null>): Promise<unknown> =>
  client.patch(karmadas, { namespace, name: 'demo' }, { metadata: { annotations: change } });

/** The operator reports the API servers as available, or not. */
function report(status: 'True' | 'False'): Promise<unknown> {
  const conditions = (['karmada-apiserver', 'karmada-aggregated-apiserver'] as const).map(
    (server) => ({
      type: CONDITION_TYPE[server],
      status,
      reason: 'Reported',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }),
  );
  const key = { namespace, name: 'demo' };
  return client.patch(karmadas, key, { status: { conditions } }, { subresource: 'status' });
}

const recovery = (phase: string): object => ({
  recovery: { from: VALUE, token: 't2', volume: 'r1-etcd-data', phase },
});

beforeAll(async () => {
  api = await startApiServer();
  const kinds = [karmadas, karmadaBackups, karmadaBackupStores, karmadaRestores];
  client = adminClient(api, { resources: kinds });
  const text = await readFile(join(checkout, 'crds/operator.karmada.io_karmadas.yaml'), 'utf8');
  await client.create(load(text) as KubernetesObject);
  for (const crd of Object.values(backupCrds)) await client.create(crd);
  await eventually('the kinds are served', () =>
    Promise.all(kinds.map((type: ResourceType) => client.list(type))).then(
      () => true,
      () => false,
    ),
  );
  const named = (name: string): KubernetesObject['metadata'] => ({ name, namespace });
  const v1 = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque' };
  await client.create({
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: named('demo'),
    spec: { components: { etcd: { local: { volumeData: VOLUME_CLAIM } } } },
  });
  const labels = {
    'app.kubernetes.io/managed-by': 'karmada-operator',
    'app.kubernetes.io/instance': 'demo',
  };
  await client.create({ ...v1, metadata: { ...named(CA_BACKUP.name), labels } });
  await record({});
  const volume = { claimName: 'backups' };
  await client.create({
    apiVersion,
    kind: 'KarmadaBackupStore',
    metadata: named('main'),
    spec: { volume, encryption: { mode: 'None' } },
  });
  const spec = { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' } };
  await client.create({ apiVersion, kind: 'KarmadaBackup', metadata: named('first'), spec });
  const status = { phase: 'Verified', revision: '50', folder: 'here/one' };
  const options = { subresource: 'status' } as const;
  await client.patch(karmadaBackups, { namespace, name: 'first' }, { status }, options);
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

describe('KarmadaRestore', () => {
  it.each<readonly [string, string, object, string]>([
    ['no backup', 'wrong', { backupRef: null }, 'backupRef'],
    ['a confirmation in another form', 'wrong', { confirmation: 'yes' }, 'confirmation'],
    ['another propagation', 'wrong', { propagation: 'Off' }, 'propagation'],
    ['a long name', 'n'.repeat(53), {}, 'at most 52'],
  ])('is rejected with %s', async (_, name, spec, text) => {
    await expect(client.create(restoreOf(name, spec))).rejects.toThrow(text);
  });

  it('changes nothing before it is confirmed', async () => {
    await client.create(restoreOf('back'));
    await expect(patch({ backupRef: { name: 'other' } })).rejects.toThrow('cannot be changed');
    expect(await atRest()).toMatchObject({
      metadata: { name: 'back' },
      status: { phase: 'AwaitingConfirmation', clusterID: 'a', revision: '50' },
    });
    await patch({ confirmation: 'b' });
    const refused = await atRest();
    expect(refused.status?.conditions).toMatchObject([{ reason: 'ConfirmationRefused' }]);
    expect(refused.metadata.finalizers).toBeUndefined();
    expect(await annotations()).toEqual({});
  });

  it('starts with its configuration, and is withdrawn without the confirmation', async () => {
    await patch({ confirmation: 'a' });
    const { metadata: started, status: starting } = await atRest();
    expect(starting).toMatchObject({ phase: 'Restoring' });
    expect(await annotations()).toEqual({
      [RECOVER_ANNOTATION]: VALUE,
      [PROPAGATION_PAUSED]: `back/${String(started.uid)}`,
    });
    const secret = await client.get(resources.Secret, { namespace, name: 'back-restore' });
    const { 'config.json': text = '' } = secret['data'] as Record<string, string>;
    expect(JSON.parse(Buffer.from(text, 'base64').toString('utf8'))).toMatchObject({
      folder: 'here/one',
      store: 'volume',
      encryption: 'None',
      secrets: [CA_BACKUP.name],
    });
    await record(recovery('loading'));
    await patch({ confirmation: null });
    const { metadata, status } = await atRest();
    expect(status?.phase).toBe('Withdrawn');
    expect(metadata.finalizers).toHaveLength(1);
    expect(await annotations()).toEqual({});
    await record({});
    expect((await atRest()).metadata.finalizers).toBeUndefined();
  });

  it('ends with paused propagation until the user resumes it', async () => {
    await patch({ confirmation: 'a' });
    await atRest();
    await record({ ...recovery('switching'), clusterID: 'b' });
    await patch({ confirmation: null });
    expect((await atRest()).status?.phase).toBe('Restoring');
    await record({ clusterID: 'b', recovered: [VALUE] });
    await report('False');
    expect((await atRest()).status).toMatchObject({
      phase: 'Restoring',
      conditions: [{ reason: 'DataReplaced' }],
    });
    await report('True');
    const paused = await atRest();
    expect(paused.status?.phase).toBe('PropagationPaused');
    expect(await annotations()).toMatchObject({
      [PROPAGATION_PAUSED]: `back/${String(paused.metadata.uid)}`,
    });
    await patch({ propagation: 'Resumed' });
    expect((await atRest()).status?.phase).toBe('Complete');
    expect(await annotations()).not.toHaveProperty([PROPAGATION_PAUSED]);
  });

  it('is withdrawn before it is deleted', async () => {
    await annotateKarmada({ [RECOVER_ANNOTATION]: null });
    await client.create(restoreOf('again', { confirmation: 'b' }));
    await atRest('again');
    expect(await annotations()).toMatchObject({ [RECOVER_ANNOTATION]: 'restore:again/b/50' });
    await client.delete(karmadaRestores, { namespace, name: 'again' });
    await expect(atRest('again')).rejects.toThrow('is gone');
    expect(await annotations()).toEqual({});
  });
});
