import { describe, expect, it } from '@jest/globals';
import { NOTHING_SEEN } from '../../etcd/view.ts';
import { ofKind } from '../../actions/action.ts';
import type { Step } from '../../components/component.ts';
import type { KubernetesObject, ObjectMeta } from '../../kubernetes/objects/object.ts';
import {
  karmadaOf,
  live,
  pod,
  snapshotOf,
  statefulSetOf,
  VIEW,
  wishOf,
} from '../../instance/__fixtures__/instance.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import { INSTANCE, instanceLabels, MANAGED_BY } from '../../api/labels.ts';
import { withBudgetOwners } from './disruption-budgets.ts';
import { membershipOf } from '../../etcd-cluster/pods/membership.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import { planInstance } from './plan.ts';
import type { Plan } from '../../actions/planner.ts';
import {
  hostPathBlocked,
  membersToRestart,
  runningMembership,
  templateBlocked,
} from '../etcd-storage/plan-etcd.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { stepStates } from './steps.ts';

const ALL: readonly Step[] = [...wishOf().steps];

function planOf(snapshot: Snapshot, desiredState: DesiredObjects = wishOf()): Plan {
  const states = stepStates(desiredState, snapshot);
  return planInstance({ snapshot, desired: desiredState, states, blockedChanges: [] }, VIEW);
}

/** Steps with an allowed write other than a Service, sorted. */
function stepsIn(plan: Plan): readonly string[] {
  const steps = ofKind(plan.actions, 'apply')
    .filter(({ target }) => target.object.kind !== 'Service' || target.cluster === 'controlPlane')
    .map(({ target }) => target.step);
  return [...new Set(steps)].sort();
}

/** The snapshot with a changed status of one workload. */
function withStatus(snapshot: Snapshot, suffix: string, status: object): Snapshot {
  const objects = snapshot.host.objects.map((object) =>
    object.kind !== 'Service' && object.metadata.name.endsWith(suffix)
      ? { ...object, status: { ...(object['status'] as object), ...status } }
      : object,
  );
  return { ...snapshot, host: { ...snapshot.host, objects } };
}

const withAnnotation = (metadata: ObjectMeta, key: string, value: string): ObjectMeta => ({
  ...metadata,
  annotations: { ...metadata.annotations, [key]: value },
});

describe('install order', () => {
  const WAITING = { state: 'waiting', message: 'not yet', objects: [] } as const;

  it('starts with etcd, the API server and all Services', () => {
    const plan = planOf(snapshotOf(wishOf(), [], { controlPlane: WAITING }));
    expect(stepsIn(plan)).toEqual(['etcd', 'karmada-apiserver']);
    const services = ofKind(plan.actions, 'apply').filter(
      ({ target }) => target.object.kind === 'Service',
    );
    expect(services.map(({ target }) => target.object.metadata.name).sort()).toEqual([
      'karmada-demo-aggregated-apiserver',
      'karmada-demo-apiserver',
      'karmada-demo-etcd',
      'karmada-demo-etcd-client',
      'karmada-demo-metrics-adapter',
      'karmada-demo-webhook',
    ]);
  });

  it('writes to the Karmada API when it responds, and creates Pods only when the API server is ready', () => {
    const snapshot = snapshotOf(wishOf(), ['etcd', 'karmada-apiserver']);
    const early = withStatus(snapshot, '-apiserver', { availableReplicas: 0 });
    expect(stepsIn(planOf(early))).toEqual([
      'crds',
      'etcd',
      'health',
      'karmada-apiserver',
      'namespaces',
      'rbac',
    ]);
  });

  it('writes the health permissions when the API server listens', () => {
    const snapshot = snapshotOf(wishOf(), ['etcd', 'karmada-apiserver'], {
      controlPlane: { ...WAITING, listens: true },
    });
    const early = withStatus(snapshot, '-apiserver', { availableReplicas: 0 });
    expect(stepsIn(planOf(early))).toEqual(['etcd', 'health', 'karmada-apiserver']);
  });

  it('creates no APIService when its Service is unreachable', () => {
    const desiredState = wishOf();
    const snapshot = snapshotOf(
      desiredState,
      ALL.filter((step) => step !== 'cluster-api-service'),
    );
    const states = stepStates(desiredState, snapshot);
    const closed = new Set<Step>(['cluster-api-service']);
    const input = { snapshot, desired: desiredState, states, blockedChanges: [] };
    expect(stepsIn(planInstance({ ...input, closed }, VIEW))).not.toContain('cluster-api-service');
    expect(stepsIn(planInstance(input, VIEW))).toContain('cluster-api-service');
  });

  it.each<[string, readonly Step[], readonly Step[]]>([
    [
      'applies roles before the Pods that need them',
      ['etcd', 'karmada-apiserver', 'rbac'],
      ['karmada-aggregated-apiserver'],
    ],
    [
      'applies CRDs before the components that watch them',
      ['etcd', 'karmada-apiserver', 'rbac', 'namespaces', 'crds'],
      ['karmada-metrics-adapter', 'karmada-webhook', 'kube-controller-manager'],
    ],
    [
      'applies the aggregated API server before the components that watch Clusters',
      ['etcd', 'karmada-apiserver', 'rbac', 'namespaces', 'crds', 'karmada-aggregated-apiserver'],
      ['karmada-controller-manager', 'karmada-scheduler'],
    ],
    [
      'applies a webhook server before its webhook configurations',
      ['etcd', 'karmada-apiserver', 'rbac', 'crds', 'namespaces', 'karmada-webhook'],
      ['webhook-configurations'],
    ],
    [
      'applies an aggregated API server before its APIService',
      ['etcd', 'karmada-apiserver', 'rbac', 'namespaces', 'karmada-aggregated-apiserver'],
      ['cluster-api-service'],
    ],
  ])('%s', (_, done, then) => {
    const last = done.at(-1);
    const before = planOf(
      snapshotOf(
        wishOf(),
        done.filter((step) => step !== last),
      ),
    );
    for (const step of then) expect(stepsIn(before)).not.toContain(step);
    const after = planOf(snapshotOf(wishOf(), done));
    for (const step of then) expect(stepsIn(after)).toContain(step);
  });

  it('creates no Deployment and writes nothing to the Karmada API when etcd members form two clusters', () => {
    const done = ['etcd', 'karmada-apiserver', 'rbac', 'namespaces', 'crds'] as const;
    const whole = snapshotOf(wishOf(), done);
    expect(stepsIn(planOf(whole))).toContain('kube-controller-manager');
    const splitBrain = { reason: 'SplitBrain', message: 'two clusters' } as const;
    const etcdBootstrap = { membership: membershipOf(3, 'new'), awaited: 'clusterIdentity' };
    const plan = planOf({ ...whole, etcd: { ...NOTHING_SEEN, splitBrain }, etcdBootstrap });
    expect(stepsIn(plan)).toEqual(['karmada-apiserver']);
    expect(ofKind(plan.actions, 'remove')).toEqual([]);
  });

  it('creates no Deployment before the members of an etcd without a record are known to form one cluster', () => {
    const whole = snapshotOf(wishOf(), ['etcd', 'karmada-apiserver', 'rbac', 'namespaces', 'crds']);
    const etcdBootstrap = { membership: membershipOf(1, 'new'), awaited: 'the etcd members' };
    const created = ofKind(planOf({ ...whole, etcdBootstrap }).actions, 'apply').filter(
      ({ target, cached }) => target.object.kind === 'Deployment' && cached === undefined,
    );
    expect(created).toEqual([]);
  });

  it('writes nothing to the Karmada API when it does not respond', () => {
    const plan = planOf(snapshotOf(wishOf(), ALL, { controlPlane: WAITING }));
    expect(
      ofKind(plan.actions, 'apply').filter(({ target }) => target.cluster === 'controlPlane'),
    ).toEqual([]);
    expect(ofKind(plan.actions, 'remove')).toEqual([]);
  });

  it('writes nothing to the Karmada API during a rollout of an upgraded API server', () => {
    const snapshot = snapshotOf(wishOf(), ['etcd', 'karmada-apiserver']);
    const rolling = withStatus(snapshot, '-apiserver', { updatedReplicas: 0 });
    const objects = rolling.host.objects.map((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, 'deployment.kubernetes.io/revision': '2' },
      },
    }));
    const plan = planOf({ ...rolling, host: { ...rolling.host, objects } });
    expect(stepsIn(plan)).not.toContain('crds');
  });
});

describe('waiting', () => {
  const reasonsOf = ({ waiting = new Map() }: Plan): Readonly<Record<string, string>> =>
    Object.fromEntries([...waiting].map(([step, { message }]) => [step, message]));

  it('is empty when the plan writes all objects', () => {
    const { waiting } = planOf(snapshotOf(wishOf(), ALL));
    expect(waiting).toEqual(new Map());
  });

  it('names a reason for each step that is not written', () => {
    const done = ['etcd', 'karmada-apiserver', 'rbac', 'namespaces'] as const;
    const plan = planOf(snapshotOf(wishOf(), done));
    const waiting = reasonsOf(plan);
    expect(waiting).toMatchObject({
      'karmada-webhook': 'karmada-webhook waits for the Karmada CRDs',
      'cluster-api-service': 'cluster-api-service waits for karmada-aggregated-apiserver',
    });
    expect([...Object.keys(waiting), ...stepsIn(plan)].sort()).toEqual([...ALL].sort());
  });

  it('names the reason of the pending change of a step, not that of a repair', () => {
    const desiredState = wishOf({ components: { karmadaWebhook: { labels: { a: 'b' } } } });
    const snapshot = snapshotOf(wishOf(), ALL);
    const paused = snapshot.host.objects.map((object) =>
      object.kind === 'Service' && object.metadata.name.endsWith('-webhook')
        ? { ...object, metadata: withAnnotation(object.metadata, PAUSE_REPAIR, 'true') }
        : object,
    );
    const rolling = withStatus(
      { ...snapshot, host: { ...snapshot.host, objects: paused } },
      '-apiserver',
      { updatedReplicas: 0 },
    );
    expect(reasonsOf(planOf(rolling, desiredState))).toMatchObject({
      'karmada-webhook': expect.stringContaining('karmada-webhook waits for karmada-apiserver'),
    });
  });
});

const ownSecret = (suffix: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: `karmada-demo-${suffix}`,
    namespace: 'team',
    labels: { [INSTANCE]: 'karmada-demo', [MANAGED_BY]: 'karmada-operator' },
  },
});

describe('pruning', () => {
  const SEARCH = { components: { karmadaSearch: {} } };
  const withSearch = wishOf(SEARCH);
  const before = snapshotOf(withSearch, [...withSearch.steps]);

  it('deletes the APIService first, and the Pods when no APIService refers to them', () => {
    const first = planOf(before);
    expect(
      ofKind(first.actions, 'remove')
        .map(({ object }) => object.kind)
        .sort(),
    ).toEqual(['APIService', 'Service']);
    expect(ofKind(first.actions, 'remove').every(({ cluster }) => cluster === 'controlPlane')).toBe(
      true,
    );
    expect(first.blockedChanges.map(({ reason }) => reason)).toContain('StillRouted');
    const objects = before.controlPlane.objects.filter(
      ({ metadata }) => !metadata.name.includes('search'),
    );
    const then = planOf({ ...before, controlPlane: { ...before.controlPlane, objects } });
    expect(ofKind(then.actions, 'remove').map(({ object }) => object.metadata.name)).toEqual([
      'karmada-demo-search',
      'karmada-demo-search',
    ]);
  });

  it.each([
    ['Role', 'rbac.authorization.k8s.io/v1', true],
    ['RoleBinding', 'rbac.authorization.k8s.io/v1', true],
    ['ClusterRole', 'rbac.authorization.k8s.io/v1', true],
    ['ClusterRoleBinding', 'rbac.authorization.k8s.io/v1', true],
    ['APIService', 'apiregistration.k8s.io/v1', undefined],
  ])(
    'waits for the deletion of a former %s in the control plane, unless it is RBAC',
    (...given) => {
      const [kind, apiVersion, isUnawaited] = given;
      const labels = instanceLabels('karmada-demo', 'karmada');
      const former = { apiVersion, kind, metadata: { name: 'former', labels } };
      const seen = snapshotOf(wishOf(), ALL);
      const objects = [...seen.controlPlane.objects, former];
      const { actions } = planOf({ ...seen, controlPlane: { ...seen.controlPlane, objects } });
      const removals = ofKind(actions, 'remove').map((one) => [one.object, one.isUnawaited]);
      expect(removals).toEqual([[former, isUnawaited]]);
    },
  );

  it('removes a PodDisruptionBudget that its workload controls when the spec sets none', () => {
    const config = { podDisruptionBudgetConfig: { maxUnavailable: 1 } };
    const wished = wishOf({ components: { karmadaWebhook: config } });
    const snapshot = snapshotOf(wished, ALL);
    const owned = withBudgetOwners(wished, snapshot).objects;
    const budget = owned.find(({ object }) => object.kind === 'PodDisruptionBudget');
    if (budget === undefined) throw new Error('no PodDisruptionBudget');
    const others = snapshotOf(wishOf(), ALL);
    const objects = [...others.host.objects, live(budget)];
    const { actions } = planOf({ ...others, host: { ...others.host, objects } });
    expect(budget.object.metadata.ownerReferences).toHaveLength(1);
    expect(ofKind(actions, 'remove').map(({ object }) => object.kind)).toEqual([
      'PodDisruptionBudget',
    ]);
  });

  it('removes all NetworkPolicies when the spec enforces none', () => {
    const enforced = snapshotOf(wishOf({ networkPolicy: 'Enforced' }), ALL);
    const { actions } = planOf(enforced);
    const removed = ofKind(actions, 'remove').map(({ object }) => object);
    const policies = enforced.host.objects.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies).toHaveLength(10);
    expect(removed).toEqual(policies);
  });

  it('creates NetworkPolicies of a running control plane at once, and its components keep serving', () => {
    const desired = wishOf({ networkPolicy: 'Enforced' });
    const snapshot = snapshotOf(wishOf(), ALL);
    const { actions } = planOf(snapshot, desired);
    const created = ofKind(actions, 'apply').filter(({ cached }) => cached === undefined);
    expect(new Set(created.map(({ target }) => target.object.kind))).toEqual(
      new Set(['NetworkPolicy']),
    );
    expect(created).toHaveLength(10);
    expect([...stepStates(desired, snapshot).values()].every(({ serves }) => serves)).toBe(true);
  });

  it('creates the workloads of a new control plane after its NetworkPolicies', () => {
    const desired = wishOf({ networkPolicy: 'Enforced' });
    const kindsIn = (snapshot: Snapshot): readonly string[] => {
      const { actions } = planOf(snapshot, desired);
      return ofKind(actions, 'apply').map(({ target }) => target.object.kind);
    };
    const nothing = snapshotOf(desired, []);
    expect(kindsIn(nothing)).not.toContain('Deployment');
    expect(kindsIn(nothing)).toContain('NetworkPolicy');
    const policies = desired.objects.filter(({ object }) => object.kind === 'NetworkPolicy');
    const host = { ...nothing.host, objects: policies.map(live) };
    expect(kindsIn({ ...nothing, host })).toContain('Deployment');
  });

  it('removes the client certificate for metrics and its permissions when its field is unset', () => {
    const monitored = snapshotOf(wishOf({ monitoring: { clientCertificate: true } }), ALL);
    const secret = ownSecret('metrics-client');
    const objects = [...monitored.host.objects, secret];
    const { actions } = planOf({ ...monitored, host: { ...monitored.host, objects } });
    const removed = ofKind(actions, 'remove').map(({ cluster, object }) => [
      cluster,
      object.kind,
      object.metadata.name,
    ]);
    expect(removed).toHaveLength(3);
    expect(removed).toEqual(
      expect.arrayContaining([
        ['controlPlane', 'ClusterRole', 'system:karmada:metrics'],
        ['controlPlane', 'ClusterRoleBinding', 'system:karmada:metrics'],
        ['host', 'Secret', 'karmada-demo-metrics-client'],
      ]),
    );
  });

  it('keeps the roles of an addon while its workload exists, and waits for nothing then', () => {
    const roles = withSearch.objects.filter(
      ({ object }) => object.metadata.name === 'system:karmada:search',
    );
    expect(roles).toHaveLength(4);
    const controlPlane = { ...before.controlPlane, objects: roles.map(live) };
    const removed = (host: Snapshot['host']): readonly unknown[] =>
      ofKind(planOf({ ...before, controlPlane, host }).actions, 'remove')
        .filter(({ cluster }) => cluster === 'controlPlane')
        .map(({ object, isUnawaited }) => [object.kind, isUnawaited]);
    expect(removed(before.host)).toEqual([]);
    const others = before.host.objects.filter(({ metadata }) => !metadata.name.endsWith('-search'));
    expect(removed({ ...before.host, objects: others })).toEqual(
      roles.map(({ object }) => [object.kind, true]),
    );
  });

  it('keeps the Secrets of an addon while its workload exists', () => {
    const secrets = [ownSecret('search-cert'), ownSecret('search-config')];
    const unrouted = { ...before.controlPlane, objects: [] };
    const withSecrets = { ...before.host, objects: [...before.host.objects, ...secrets] };
    const first = planOf({ ...before, controlPlane: unrouted, host: withSecrets });
    expect(ofKind(first.actions, 'remove').map(({ object }) => object.kind)).toEqual([
      'Service',
      'Deployment',
    ]);
    expect(first.blockedChanges.map(({ reason }) => reason)).toEqual([
      'StillMounted',
      'StillMounted',
    ]);
    const others = withSecrets.objects.filter(
      ({ kind, metadata }) => kind === 'Secret' || !metadata.name.endsWith('-search'),
    );
    const then = planOf({
      ...before,
      controlPlane: unrouted,
      host: { ...before.host, objects: others },
    });
    expect(ofKind(then.actions, 'remove').map(({ object }) => object.metadata.name)).toEqual([
      'karmada-demo-search-cert',
      'karmada-demo-search-config',
    ]);
  });

  it.each<[string, string, Snapshot]>([
    [
      'while an APIService refers to it',
      'StillRouted: Deployment team/karmada-demo-search: not deleted until no APIService refers to it',
      before,
    ],
    [
      'while its repair is paused',
      `RepairPaused: Deployment team/karmada-demo-search: not deleted until its annotation ${PAUSE_REPAIR} is removed`,
      {
        ...before,
        host: {
          ...before.host,
          objects: before.host.objects.map((object) => ({
            ...object,
            metadata: withAnnotation(object.metadata, PAUSE_REPAIR, 'true'),
          })),
        },
      },
    ],
    [
      'while etcd is split',
      'SplitBrain: Deployment team/karmada-demo-search: not deleted until the etcd members agree on one cluster',
      {
        ...before,
        etcd: { ...NOTHING_SEEN, splitBrain: { reason: 'SplitBrain', message: 'two clusters' } },
      },
    ],
  ])('keeps the workload of a disabled addon %s', (_, expected, snapshot) => {
    const { actions, blockedChanges } = planOf(snapshot);
    const removed = ofKind(actions, 'remove').map(({ object }) => object.kind);
    expect(removed).not.toContain('Deployment');
    const reported = blockedChanges.map(({ reason, message }) => `${reason}: ${message}`);
    expect(reported).toContain(expected);
  });

  it('deletes nothing when nothing is desired', () => {
    const plan = planOf(before, { objects: [], steps: new Set() });
    expect(plan.actions).toEqual([]);
  });

  it('deletes nothing when the Karmada API cannot be read', () => {
    const plan = planOf({
      ...before,
      controlPlane: { state: 'waiting', message: 'down', objects: [] },
    });
    expect(ofKind(plan.actions, 'remove')).toEqual([]);
  });

  it('keeps objects without owner labels, and CRDs that a newer archive lacks', () => {
    const foreign: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'mine', namespace: 'team', labels: { [INSTANCE]: 'karmada-demo' } },
    };
    const old: KubernetesObject = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: 'old.work.karmada.io',
        labels: { [INSTANCE]: 'karmada-demo', [MANAGED_BY]: 'karmada-operator' },
      },
    };
    const snapshot = snapshotOf(wishOf(), ALL);
    const plan = planOf({
      ...snapshot,
      host: { ...snapshot.host, objects: [...snapshot.host.objects, foreign] },
      controlPlane: {
        ...snapshot.controlPlane,
        objects: [...snapshot.controlPlane.objects, old],
      },
    });
    expect(ofKind(plan.actions, 'remove')).toEqual([]);
  });
});

const ending = ({ metadata }: KubernetesObject): ObjectMeta => ({
  ...metadata,
  deletionTimestamp: '2026-01-01T00:00:00Z',
});

describe('etcd data safety', () => {
  const claim = (size: string, more: object = {}): object => ({
    volumeClaim: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...more },
    },
  });
  const specWith = (local: object): object => ({ components: { etcd: { local } } });

  it.each<[string, object, object, string | undefined]>([
    [
      'allows an unchanged spec',
      { volumeData: { emptyDir: {} } },
      { volumeData: { emptyDir: {} } },
      undefined,
    ],
    ['blocks another image on emptyDir', {}, { imageTag: '3.6.7-0' }, 'EtcdRestartBlocked'],
    [
      'allows another image on a PVC',
      { volumeData: claim('1Gi') },
      { volumeData: claim('1Gi'), imageTag: '3.6.7-0' },
      undefined,
    ],
    [
      'blocks a change from emptyDir to a PVC',
      {},
      { volumeData: claim('1Gi') },
      'EtcdStorageBlocked',
    ],
    [
      'blocks a change from a PVC to emptyDir',
      { volumeData: claim('1Gi') },
      {},
      'EtcdStorageBlocked',
    ],
    [
      'blocks a change from emptyDir to hostPath',
      {},
      { volumeData: { hostPath: { path: '/data' } } },
      'EtcdStorageBlocked',
    ],
    [
      'blocks a larger PVC',
      { volumeData: claim('1Gi') },
      { volumeData: claim('2Gi') },
      'EtcdStorageBlocked',
    ],
    [
      'blocks another StorageClass',
      { volumeData: claim('1Gi', { storageClassName: 'slow' }) },
      { volumeData: claim('1Gi', { storageClassName: 'fast' }) },
      'EtcdStorageBlocked',
    ],
    [
      'blocks the removal of the StorageClass',
      { volumeData: claim('1Gi', { storageClassName: 'slow' }) },
      { volumeData: claim('1Gi') },
      'EtcdStorageBlocked',
    ],
    [
      'allows the same PVC size in another unit',
      { volumeData: claim('1Gi') },
      { volumeData: claim('1024Mi') },
      undefined,
    ],
  ])('%s', (_, from, to, reason) => {
    const member = pod('etcd', { name: 'etcd-0' });
    expect(templateBlocked(live(statefulSetOf(from)), statefulSetOf(to), [member])?.reason).toBe(
      reason,
    );
  });

  it.each<[string, boolean, string, string | undefined]>([
    ['blocks another hostPath', true, '/other', 'EtcdStorageBlocked'],
    ['allows the same hostPath', true, '/data', undefined],
    ['allows another hostPath before the control plane was Ready', false, '/other', undefined],
  ])('%s', (_, ready, path, reason) => {
    const of = (data: string) => statefulSetOf({ volumeData: { hostPath: { path: data } } });
    const status = ready ? { secretRef: { name: 'a', namespace: 'b' } } : {};
    expect(hostPathBlocked({ status }, live(of('/data')), of(path))?.reason).toBe(reason);
  });

  it('writes all objects except a blocked StatefulSet', () => {
    const desiredState = wishOf(specWith({ imageTag: '3.6.7-0' }));
    const snapshot = snapshotOf(wishOf(), ALL);
    const plan = planOf(snapshot, desiredState);
    expect(plan.blockedChanges.map(({ reason }) => reason)).toEqual(['EtcdRestartBlocked']);
    expect(ofKind(plan.actions, 'apply').map(({ target }) => target.object.kind)).not.toContain(
      'StatefulSet',
    );
    expect(stepsIn(plan)).toContain('karmada-apiserver');
  });

  it('takes the members from the running flags when the StatefulSet was scaled manually', () => {
    const three = live(statefulSetOf({ replicas: 3 }));
    const scaled = { ...three, spec: { ...(three['spec'] as object), replicas: 0 } };
    expect(runningMembership(scaled)).toMatchObject({
      replicas: 3,
      ordinals: [0, 1, 2],
      state: 'new',
    });
    expect(runningMembership(undefined)).toBeUndefined();
  });

  const changed = (replicas: number, data: object): KubernetesObject => {
    const object = live(statefulSetOf({ replicas, volumeData: data }));
    return { ...object, status: { ...(object['status'] as object), updateRevision: 'r2' } };
  };
  const members = (...ready: readonly boolean[]): KubernetesObject[] =>
    ready.map((is, n) => pod('etcd', { name: `etcd-${n}`, ready: is }));

  it.each<[string, KubernetesObject, KubernetesObject[], string | undefined]>([
    [
      'three ready members with PVCs',
      changed(3, claim('1Gi')),
      members(true, true, true),
      'etcd-2',
    ],
    [
      'one of three members not ready',
      changed(3, claim('1Gi')),
      members(true, true, false),
      undefined,
    ],
    ['one of three members missing', changed(3, claim('1Gi')), members(true, true), undefined],
    [
      'three members on emptyDir',
      changed(3, { emptyDir: {} }),
      members(true, true, true),
      undefined,
    ],
    ['a single member on emptyDir', changed(1, { emptyDir: {} }), members(true), undefined],
    ['a single member with a PVC', changed(1, claim('1Gi')), members(true), 'etcd-0'],
  ])(
    'selects a member to restart only with a quorum and durable data: %s',
    (_, set, pods, name) => {
      expect(membersToRestart(set, pods)[0]?.metadata.name).toBe(name);
    },
  );

  const inState = (container: object, ready = false): KubernetesObject => ({
    ...pod('etcd', { name: 'etcd-0', ready }),
    status: { containerStatuses: [{ name: 'etcd', restartCount: 0, ...container }] },
  });
  const waiting = { state: { waiting: { reason: 'ImagePullBackOff' } } };
  const crashed = { ...waiting, restartCount: 3, lastState: { terminated: { exitCode: 1 } } };
  const nowhere: KubernetesObject = {
    ...pod('etcd', { name: 'etcd-0' }),
    status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
  };

  it.each<[string, KubernetesObject, boolean, boolean]>([
    ['never ran', inState(waiting), true, true],
    ['is unschedulable', nowhere, true, true],
    ['is in a crash loop', inState(crashed), false, true],
    ['has just terminated', inState({ state: { terminated: { exitCode: 1 } } }), false, true],
    ['runs without being Ready', inState({ state: { running: {} } }), false, false],
    ['has no status', { ...nowhere, status: {} }, false, false],
    ['is terminating', { ...nowhere, metadata: ending(nowhere) }, true, false],
  ])(
    'a member that %s is restarted for a changed template only when it cannot lose data',
    (_, member, freed, restarted) => {
      const blockedChange = templateBlocked(
        live(statefulSetOf({})),
        statefulSetOf({ imageTag: '3.6.7-0' }),
        [member],
      );
      expect(blockedChange === undefined).toBe(freed);
      const onClaim = membersToRestart(changed(1, claim('1Gi')), [member])[0];
      expect(onClaim !== undefined).toBe(restarted);
      const onPod = membersToRestart(changed(1, { emptyDir: {} }), [member])[0];
      expect(onPod !== undefined).toBe(freed && restarted);
    },
  );

  it('restarts a member that is down first, and no running member on emptyDir', () => {
    const [first, second] = members(true, true);
    const pods = [inState(crashed), first, second].flatMap((item) => item ?? []);
    const named = pods.map((item, n) => ({
      ...item,
      metadata: { ...item.metadata, name: `etcd-${n}` },
    }));
    expect(membersToRestart(changed(3, claim('1Gi')), named)[0]?.metadata.name).toBe('etcd-0');
    expect(membersToRestart(changed(3, { emptyDir: {} }), named)).toEqual([]);
  });

  it('does not update a running API server when etcd is not healthy', () => {
    const desiredState = wishOf({
      components: { karmadaAPIServer: { imageTag: 'v1.35.9' } },
    });
    const snapshot = snapshotOf(wishOf(), ALL);
    const sick = withStatus(snapshot, '-etcd', { availableReplicas: 0 });
    expect(stepsIn(planOf(sick, desiredState))).not.toContain('karmada-apiserver');
    expect(stepsIn(planOf(snapshot, desiredState))).toContain('karmada-apiserver');
  });
});

it('plans other actions while certificates are due', () => {
  const snapshot = snapshotOf(wishOf(), ALL, {
    karmada: karmadaOf(),
    certificates: { state: 'due', reason: 'a Secret is gone', last: VIEW },
  });
  expect(ofKind(planOf(snapshot).actions, 'apply').length).toBeGreaterThan(10);
});
