import { describe, expect, it } from '@jest/globals';
import type { Step } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import { liveKey } from '../../actions/execution-result.ts';
import type { EtcdPlan } from '../etcd-plan/etcd-actions.ts';
import { membershipOf } from '../../etcd-cluster/pods/membership.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import { COMPLETE, type StepState } from '../../components/rollout.ts';
import { budgetOwners } from './disruption-budgets.ts';
import type { GateInput } from './gate.ts';
import { waitingOf } from './write-gates.ts';

const DESIRED = wishOf({
  networkPolicy: 'Enforced',
  components: { karmadaWebhook: { podDisruptionBudgetConfig: { maxUnavailable: 1 } } },
});
const MISSING: StepState = { state: 'missing', message: 'not created', serves: false };
const UPDATING: StepState = { state: 'outdated', message: 'update pending', serves: true };
const MEMBERSHIP = membershipOf(1, 'new');

/** The first desired object of a step, or the first one of that kind. */
function targetOf(step: Step, kind?: string): DesiredObject {
  const found = DESIRED.objects.find(
    (target) => target.step === step && (kind ?? target.object.kind) === target.object.kind,
  );
  if (found === undefined) throw new Error(`no ${kind ?? 'object'} of ${step}`);
  return found;
}

const ETCD = targetOf('etcd', 'StatefulSet');
const API_SERVER = targetOf('karmada-apiserver', 'Deployment');
const WEBHOOK = targetOf('karmada-webhook', 'Deployment');
const SERVICE = targetOf('karmada-webhook', 'Service');
const POLICY = targetOf('karmada-webhook', 'NetworkPolicy');
const CRD = targetOf('crds');
const RBAC = targetOf('rbac');
const HEALTH = targetOf('health');
const ROLE = targetOf('namespaces', 'Role');
const NAMESPACE = targetOf('namespaces', 'Namespace');
const API_SERVICE = targetOf('cluster-api-service');

const NO_ETCD: EtcdPlan = { actions: [], isUntouched: () => false, blockedChanges: [] };
const etcdPlan = (more: Partial<EtcdPlan>): Partial<GateInput> => ({
  etcd: { ...NO_ETCD, isUntouched: () => true, ...more },
});
const BLOCKED = { step: 'etcd', reason: 'EtcdStorageBlocked', message: 'set it back' } as const;
const SPLIT = { step: 'etcd', reason: 'SplitBrain', message: 'two clusters' } as const;
const REPLACE = {
  kind: 'replaceEtcdStorage',
  replacement: { wanted: ETCD, remove: [], blockedChanges: [] },
} as const;

const EMPTY = { objects: [], pods: [], claims: [] } as const;
const READY = { state: 'ready', message: '', objects: [] } as const;
const DOWN = { ...READY, state: 'waiting', message: 'no Pod' } as const;
const LISTENING = { ...DOWN, listens: true } as const;

/** All steps are complete, except the given ones. */
const steps = (others: Partial<Record<Step, StepState>>): Pick<GateInput, 'states'> => ({
  states: new Map([
    ...[...DESIRED.steps].map((step) => [step, COMPLETE] as const),
    ...(Object.entries(others) as [Step, StepState][]),
  ]),
});

const annotated = (target: DesiredObject, key: string, value: string): KubernetesObject => {
  const object = live(target);
  const annotations = { ...object.metadata.annotations, [key]: value };
  return { ...object, metadata: { ...object.metadata, annotations } };
};
const outdated = (target: DesiredObject): KubernetesObject =>
  annotated(target, 'operator.karmada.io/applied-hash', 'other');

function input(more: Partial<GateInput> = {}): GateInput {
  const { snapshot = { host: EMPTY, controlPlane: READY } } = more;
  return {
    snapshot,
    ...steps({}),
    etcd: NO_ETCD,
    cached: undefined,
    nonBlocking: new Set(),
    closed: new Set(),
    owners: budgetOwners(snapshot),
    unprotected: new Set(),
    isFirstRollout: false,
    ...more,
  };
}

const BUDGET = targetOf('karmada-webhook', 'PodDisruptionBudget');
const ENDING: KubernetesObject = {
  ...live(WEBHOOK),
  metadata: { ...live(WEBHOOK).metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
};

type Row = readonly [string, DesiredObject, Partial<GateInput>, (readonly [string, string])?];

const untouched: DesiredObject = { ...WEBHOOK, untouched: true };
const immediate: DesiredObject = { ...API_SERVICE, ignoresOrder: true };
const closed = new Set<Step>(['cluster-api-service']);
const unprotected = new Set<Step>(['karmada-webhook']);
const bootstrap = (more: object): Pick<GateInput, 'snapshot'> => ({
  snapshot: {
    host: EMPTY,
    controlPlane: READY,
    etcdBootstrap: { membership: MEMBERSHIP, ...more },
  },
});
const later = { cached: outdated(WEBHOOK), ...steps({ 'karmada-apiserver': UPDATING }) };

const awaitingBackup: Pick<GateInput, 'snapshot'> = {
  snapshot: {
    host: EMPTY,
    controlPlane: READY,
    upgradeBackup: { decision: { kind: 'wait', message: 'waits for b' }, to: {}, next: [] },
  },
};

const installed = new Set([liveKey('host', WEBHOOK.id), liveKey('controlPlane', RBAC.id)]);
const down = {
  snapshot: { host: EMPTY, controlPlane: DOWN, installed },
  ...steps({ 'karmada-apiserver': MISSING, rbac: MISSING }),
};

const ROWS: readonly Row[] = [
  ['a deleted Deployment while the control plane does not answer', WEBHOOK, down],
  [
    'an edited Deployment while the control plane does not answer',
    WEBHOOK,
    { ...down, cached: live(WEBHOOK) },
  ],
  [
    'another Deployment that was changed in the spec meanwhile',
    WEBHOOK,
    { ...down, cached: outdated(WEBHOOK) },
    ['Progressing', 'karmada-webhook waits for karmada-apiserver'],
  ],
  [
    'a Deployment that was not installed before',
    targetOf('karmada-scheduler', 'Deployment'),
    down,
    ['Progressing', 'karmada-scheduler waits for the RBAC objects of the control plane'],
  ],
  [
    'a deleted object in the control plane',
    RBAC,
    down,
    ['Progressing', 'rbac waits for the API server of the control plane: no Pod'],
  ],
  ['any object of a complete control plane', WEBHOOK, {}],

  [
    'a change before the backup of an upgrade is verified',
    ETCD,
    { ...awaitingBackup, cached: outdated(ETCD) },
    ['AwaitingBackup', 'etcd waits: waits for b'],
  ],
  ['a repair meanwhile', WEBHOOK, { ...awaitingBackup, cached: live(WEBHOOK) }],
  ['a deleted object meanwhile', WEBHOOK, awaitingBackup],
  ['a Service meanwhile', SERVICE, { ...awaitingBackup, cached: outdated(SERVICE) }],

  [
    'an etcd with a blocked change',
    ETCD,
    etcdPlan({ blockedChanges: [BLOCKED] }),
    ['EtcdStorageBlocked', 'set it back'],
  ],
  [
    'an object in the Karmada API of a split etcd',
    RBAC,
    etcdPlan({ blockedChanges: [SPLIT] }),
    ['SplitBrain', 'rbac waits for etcd: two clusters'],
  ],
  [
    'an etcd that may have lost its data',
    ETCD,
    { ...etcdPlan({}), ...bootstrap({ problem: { reason: 'EtcdDataLost', message: 'no PVC' } }) },
    ['EtcdDataLost', 'no PVC'],
  ],
  [
    'an etcd whose unused storage is replaced',
    ETCD,
    etcdPlan({ actions: [REPLACE] }),
    [
      'Progressing',
      'StatefulSet team/karmada-demo-etcd: recreated after its unused storage is deleted',
    ],
  ],
  [
    'an etcd with unknown data',
    ETCD,
    etcdPlan({}),
    [
      'Progressing',
      'StatefulSet team/karmada-demo-etcd: not written until the operator knows the state of the etcd data',
    ],
  ],
  ['an etcd without a blocked change', ETCD, etcdPlan({ isUntouched: () => false })],

  [
    'an annotated object',
    WEBHOOK,
    { cached: annotated(WEBHOOK, PAUSE_REPAIR, 'true') },
    [
      'RepairPaused',
      'Deployment team/karmada-demo-webhook: repair paused by its annotation operator.karmada.io/pause-repair=true; remove the annotation',
    ],
  ],
  ['an object with another annotation', WEBHOOK, { cached: annotated(WEBHOOK, 'a', 'true') }],

  [
    'an untouched object',
    untouched,
    { cached: live(WEBHOOK) },
    ['Progressing', 'Deployment team/karmada-demo-webhook: keeps its current spec'],
  ],

  [
    'a missing Deployment before the etcd members agree',
    API_SERVER,
    bootstrap({ awaited: 'the etcd Pods' }),
    ['Progressing', 'karmada-apiserver waits for the etcd Pods'],
  ],
  [
    'a present Deployment before the etcd members agree',
    API_SERVER,
    { ...bootstrap({ awaited: 'the etcd Pods' }), cached: live(API_SERVER) },
  ],

  [
    'an object in a Karmada API that is not ready',
    RBAC,
    { snapshot: { host: EMPTY, controlPlane: DOWN } },
    ['Progressing', 'rbac waits for the API server of the control plane: no Pod'],
  ],
  [
    'the health permissions of an updated API server that listens',
    HEALTH,
    { snapshot: { host: EMPTY, controlPlane: LISTENING } },
    ['Progressing', 'health waits for the API server of the control plane: no Pod'],
  ],
  [
    'the health permissions of a new API server that listens',
    HEALTH,
    { snapshot: { host: EMPTY, controlPlane: LISTENING }, isFirstRollout: true },
  ],
  ['an object in the host cluster', WEBHOOK, { snapshot: { host: EMPTY, controlPlane: DOWN } }],

  [
    'a PodDisruptionBudget without a workload',
    BUDGET,
    {},
    ['Progressing', 'PodDisruptionBudget team/karmada-demo-webhook: waits for its workload'],
  ],
  [
    'a PodDisruptionBudget whose workload is terminating',
    BUDGET,
    { snapshot: { host: { ...EMPTY, objects: [ENDING] }, controlPlane: READY } },
    ['Progressing', 'PodDisruptionBudget team/karmada-demo-webhook: waits for its workload'],
  ],
  [
    'a PodDisruptionBudget with a workload',
    BUDGET,
    { snapshot: { host: { ...EMPTY, objects: [live(WEBHOOK)] }, controlPlane: READY } },
  ],

  [
    'a new Deployment without its NetworkPolicy',
    WEBHOOK,
    { unprotected },
    ['Progressing', 'Deployment team/karmada-demo-webhook: waits for its NetworkPolicy'],
  ],
  ['a deleted Deployment without its NetworkPolicy', WEBHOOK, { ...down, unprotected }],
  [
    'a running Deployment without its NetworkPolicy',
    WEBHOOK,
    { cached: outdated(WEBHOOK), unprotected },
  ],
  ['a Service without its NetworkPolicy', SERVICE, { unprotected }],
  [
    'a NetworkPolicy before its dependencies are complete',
    POLICY,
    { ...steps({ 'karmada-apiserver': MISSING, rbac: MISSING }), unprotected },
  ],
  [
    'a changed NetworkPolicy before an earlier stage is complete',
    POLICY,
    { ...later, cached: outdated(POLICY) },
  ],

  [
    'an APIService without a reachable Service',
    API_SERVICE,
    { closed },
    [
      'Progressing',
      'cluster-api-service waits until the Service address of its component is reachable',
    ],
  ],
  ['an immediate change without a reachable Service', immediate, { closed }],

  [
    'a change before an earlier stage is complete',
    WEBHOOK,
    later,
    ['Progressing', 'karmada-webhook waits for karmada-apiserver'],
  ],
  ['a repair before an earlier stage is complete', WEBHOOK, { ...later, cached: live(WEBHOOK) }],
  [
    'a Service before an earlier stage is complete',
    SERVICE,
    { ...later, cached: outdated(SERVICE) },
  ],
  [
    'a change after a stage with a blocked change',
    WEBHOOK,
    { ...later, nonBlocking: new Set(['karmada-apiserver']) },
  ],

  [
    'a Deployment before its dependencies are complete',
    WEBHOOK,
    steps({ rbac: MISSING, crds: MISSING }),
    [
      'Progressing',
      'karmada-webhook waits for the RBAC objects of the control plane, the Karmada CRDs',
    ],
  ],
  ['a Deployment whose dependencies serve', WEBHOOK, steps({ rbac: UPDATING })],
  ['a Service before its dependencies are complete', SERVICE, steps({ rbac: MISSING })],
  [
    'a CRD during an update of the API server',
    CRD,
    steps({ 'karmada-apiserver': UPDATING }),
    ['Progressing', 'crds waits for karmada-apiserver'],
  ],
  [
    'a CRD during the first rollout of the API server',
    CRD,
    { ...steps({ 'karmada-apiserver': UPDATING }), isFirstRollout: true },
  ],
  [
    'an immediate change before its dependencies are complete',
    immediate,
    steps({ namespaces: MISSING }),
  ],

  [
    'a Deployment without a serving API server',
    WEBHOOK,
    steps({ 'karmada-apiserver': MISSING }),
    ['Progressing', 'karmada-webhook waits for karmada-apiserver'],
  ],
  [
    'an API server that a recovery of etcd stops or starts',
    { ...WEBHOOK, ignoresOrder: true },
    { ...later, ...steps({ 'karmada-apiserver': MISSING }) },
  ],
  ['etcd without a serving API server', ETCD, steps({ 'karmada-apiserver': MISSING })],

  [
    'a Role without its Namespace',
    ROLE,
    {},
    ['Progressing', 'Role karmada-system/system:karmada:scheduler: waits for its Namespace'],
  ],
  [
    'a Role whose Namespace exists',
    ROLE,
    { snapshot: { host: EMPTY, controlPlane: { ...READY, objects: [live(NAMESPACE)] } } },
  ],
  ['a Namespace that does not exist', NAMESPACE, {}],
];

describe('waitingOf', () => {
  it.each(ROWS.flatMap(([title, ...row]) => (row[2] ? [{ title, row }] : [])))(
    'gives a reason for $title',
    ({ row: [target, more, expected] }) => {
      const found = waitingOf(target, input(more));
      expect([found?.reason, found?.message]).toEqual(expected);
    },
  );

  it.each(ROWS.flatMap(([title, ...row]) => (row[2] ? [] : [{ title, row }])))(
    'allows $title',
    ({ row: [target, more] }) => {
      expect(waitingOf(target, input(more))).toBeUndefined();
    },
  );

  it('names the steps that a write waits for', () => {
    const waits = (target: DesiredObject, more: Partial<GateInput>): readonly Step[] | undefined =>
      waitingOf(target, input(more))?.awaits;
    expect(waits(WEBHOOK, steps({ rbac: MISSING, crds: MISSING }))).toEqual(['rbac', 'crds']);
    expect(waits(RBAC, { snapshot: { host: EMPTY, controlPlane: DOWN } })).toEqual([
      'karmada-apiserver',
    ]);
    expect(waits(API_SERVER, bootstrap({ awaited: 'the etcd Pods' }))).toEqual(['etcd']);
    expect(waits(API_SERVICE, { closed })).toEqual([]);
  });

  it('returns the reason about data before the reason about order', () => {
    const both = { ...etcdPlan({ blockedChanges: [SPLIT] }), ...steps({ rbac: MISSING }) };
    expect(waitingOf(CRD, input(both))?.reason).toBe('SplitBrain');
    const paused = { ...later, cached: annotated(WEBHOOK, PAUSE_REPAIR, 'true') };
    expect(waitingOf(WEBHOOK, input(paused))?.reason).toBe('RepairPaused');
  });
});
