import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { karmadaBackups, karmadaBackupStores, karmadaRestores } from '../../api/backup/kinds.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { ResourceType } from '../../kubernetes/objects/resources.ts';
import {
  live,
  NOW,
  snapshotOf,
  statefulSetOf,
  VIEW,
  wishOf,
} from '../../instance/__fixtures__/instance.ts';
import { RECORD_ANNOTATION, type EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import { viewOfPods } from '../etcd-members/etcd-members.ts';
import { executeStep, type StepChange, type StepTools } from './execute-step.ts';

const statefulSet = statefulSetOf({});
const record: EtcdRecord = {
  state: 'born',
  token: 't',
  members: 3,
  clusterID: 'a',
  ca: 'x',
  recovery: { from: 'restore:back/a/50', token: 't2', volume: 'r1-etcd-data', phase: 'loading' },
};

/** The recorded etcd is replaced by a backup in a bucket. */
const change: StepChange = {
  snapshot: snapshotOf(wishOf(), []),
  action: { kind: 'recoverEtcd', restored: statefulSet },
  objects: {
    backup: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'ca-backup',
        annotations: {
          [RECORD_ANNOTATION]: JSON.stringify(record),
        },
      },
    },
    statefulSet: live(statefulSet),
    pods: [],
    claims: [],
    now: NOW,
    view: viewOfPods([], [], NOW),
  },
  step: { kind: 'createPod', message: 'etcd: the data is restored' },
};

const location = { endpoint: 'https://s3.example.com', region: 'eu-1', bucket: 'backups' };
const managed = new Map<ResourceType, object>([
  [karmadaRestores, { backupRef: { name: 'first' } }],
  [karmadaBackups, { storeRef: { name: 'main' } }],
  [
    karmadaBackupStores,
    {
      s3: { ...location, podIdentity: { serviceAccountName: 'backup' } },
      encryption: { mode: 'None' },
    },
  ],
]);

/** @param failure error of the API server when the Pod is created */
function toolsWith(failure?: ApiError): StepTools {
  const unexpected = (): Promise<never> => Promise.reject(new Error('unexpected request'));
  const create = (pod: KubernetesObject): Promise<KubernetesObject> =>
    failure === undefined ? Promise.resolve(pod) : Promise.reject(failure);
  const find = (type: ResourceType): Promise<KubernetesObject> =>
    Promise.resolve({
      apiVersion: 'v1',
      kind: type.kind,
      metadata: { name: 'x' },
      spec: managed.get(type),
    });
  return {
    random: () => 0.5,
    note: unexpected,
    management: anyClient({ find }),
    backupImage: 'operator:1',
    client: anyClient({
      find,
      list: unexpected,
      create,
      patch: unexpected,
      delete: unexpected,
    }),
  };
}

const failureOf = (code: number, message: string): ApiError =>
  new ApiError({ request: 'create Pod team/x', code, reason: 'Forbidden', message });

describe('executeStep', () => {
  it('creates the Pod that restores a backup', async () => {
    expect(await executeStep(toolsWith(), change)).toBe(true);
  });

  it.each([
    ['a missing ServiceAccount', 'error looking up service account team/backup', 'podIdentity'],
    ['a quota', 'exceeded quota: pods', 'exceeded quota'],
  ])('names %s', async (_, message, expected) => {
    expect(await executeStep(toolsWith(failureOf(403, message)), change)).toMatchObject({
      reason: 'PodRefused',
      message: expect.stringContaining(expected),
    });
  });

  it.each<readonly [string, string | undefined, object | undefined]>([
    [
      'the cluster of the named member of the Go operator',
      undefined,
      { state: 'born', origin: 'GoOperator', token: 'etcd-cluster', members: 1, clusterID: 'a' },
    ],
    ['nothing over a record that is not valid', '{', undefined],
  ])('records %s', async (_, noted, expected) => {
    const written: (EtcdRecord | undefined)[] = [];
    const note: StepTools['note'] = ({ record: one }) => {
      written.push(one);
      return Promise.resolve({ writes: 1 });
    };
    const { objects, snapshot } = change;
    const annotations = { ...(noted !== undefined && { [RECORD_ANNOTATION]: noted }) };
    const backup = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'ca-backup', annotations },
    };
    const command = ['--initial-cluster=demo-etcd-0=http://demo-etcd-0:2380'];
    const template = { spec: { containers: [{ name: 'etcd', command }] } };
    const former = { ...live(statefulSet), spec: { template } };
    const certificates = { state: 'valid', view: VIEW } as const;
    const begin = {
      ...change,
      snapshot: { ...snapshot, certificates },
      objects: { ...objects, backup, statefulSet: former },
      step: { kind: 'begin', from: 'demo-etcd-0/a/5', message: '' },
    } as const;
    const isDone = await executeStep({ ...toolsWith(), note }, begin);
    expect(isDone).toBe(expected !== undefined);
    if (expected === undefined) expect(written).toEqual([]);
    else expect(written).toMatchObject([{ ...expected, recovery: { isUnrecorded: true } }]);
  });

  it('deletes Pods that write to etcd with a short grace period', async () => {
    const deleted: unknown[] = [];
    const tools = toolsWith();
    const client = {
      ...tools.client,
      delete: async (...call: readonly unknown[]) => void deleted.push(call),
    };
    const pods = [{ name: 'demo-karmada-apiserver-x', uid: 'u' }];
    const step = { kind: 'endClients', pods, message: '' } as const;
    expect(await executeStep({ ...tools, client }, { ...change, step })).toBe(true);
    expect(deleted).toMatchObject([
      [{ kind: 'Pod' }, { name: 'demo-karmada-apiserver-x' }, { uid: 'u', gracePeriodSeconds: 1 }],
    ]);
  });

  it('retries other errors', async () => {
    const failure = failureOf(500, 'etcdserver: request timed out');
    await expect(executeStep(toolsWith(failure), change)).rejects.toBe(failure);
  });
});
