/** A control plane whose etcd on emptyDir crashes from the beginning, as the operator sees it. */
import type { KarmadaStatus } from '../../../api/karmada.ts';
import { COMPONENT } from '../../../api/labels.ts';
import type { EtcdMembership } from '../../../components/component.ts';
import { EFFECTIVE_HASH } from '../../../components/etcd/effective-hash.ts';
import { isWorkload } from '../../../components/workload.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import {
  karmadaOf,
  live,
  pod,
  snapshotOf,
  wishWith,
} from '../../../instance/__fixtures__/instance.ts';
import type { DesiredObject } from '../../../instance/desired-objects.ts';
import type { Snapshot } from '../../../instance/snapshot.ts';
import type { ClusterIdentity } from '../cluster-identity.ts';
import { hasServed } from '../../../features/etcd-bootstrap/bootstrap.ts';
import { RECORD_ANNOTATION, type EtcdRecord } from '../record.ts';
import type { ClusterStateInput } from '../initial-cluster-state.ts';

const TOKEN = 'karmada-demo-etcd.team';
export const UNBORN: EtcdRecord = { state: 'unborn', token: TOKEN, members: 1, ca: 'a1' };
export const START = '2026-01-01T00:00:00Z';
export const LATER = '2026-01-01T00:00:05Z';
export const WRONG = { extraArgs: { 'no-such-flag': 'x' } };

/** What is recorded of the control plane, apart from what is usual for an etcd that crashes from the beginning. */
export interface Facts {
  readonly record?: EtcdRecord | undefined;
  readonly clusterIdentity?: ClusterIdentity;
  readonly status?: KarmadaStatus;
  readonly state?: EtcdMembership['state'];
  /** Status of the StatefulSet. */
  readonly set?: object;
  readonly pods?: readonly KubernetesObject[];
  /** The Deployment of the API server; null without one. */
  readonly server?: object | null;
  readonly serverRevision?: string;
}

export const NOT_READY: KarmadaStatus = {
  conditions: [
    { ...{ type: 'Ready', status: 'False', reason: 'a', message: '' }, lastTransitionTime: START },
  ],
};
export const unavailable = (reason: string, available = 'False'): object => ({
  conditions: [
    { type: 'Available', status: available },
    { type: 'Progressing', status: 'True', reason },
  ],
});

/** A Pod whose container has ended, and which lost its readiness at a time. */
export function crashed(
  component: string,
  since = START,
  startTime: string | undefined = START,
): KubernetesObject {
  const found = pod(component, { name: `karmada-demo-${component}-0` });
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const container = {
    name: component,
    restartCount: 4,
    state,
    lastState: { terminated: { exitCode: 1 } },
  };
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: since }];
  return {
    ...found,
    status: { ...(startTime && { startTime }), conditions, containerStatuses: [container] },
  };
}

/** A Pod with the hash of a template. */
export function marked(found: KubernetesObject, template: DesiredObject): KubernetesObject {
  if (!isWorkload(template.object)) throw new Error('not a StatefulSet');
  const hash = template.object.spec.template.metadata.annotations?.[EFFECTIVE_HASH] ?? '';
  return { ...found, metadata: { ...found.metadata, annotations: { [EFFECTIVE_HASH]: hash } } };
}

export function desiredSet(local: object, state: EtcdMembership['state']): DesiredObject {
  const membership = { replicas: 1, ordinals: [0], state, token: TOKEN };
  const { objects } = wishWith({ components: { etcd: { local } } }, membership);
  const found = objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found;
}

export const ETCD = marked(crashed('etcd'), desiredSet(WRONG, 'existing'));

export function setOf(
  local: object,
  { state = 'existing', set = { replicas: 1 } }: Facts,
): KubernetesObject {
  const found = live(desiredSet(local, state));
  return { ...found, status: { ...(found['status'] as object), ...set } };
}

function serverOf({ server, serverRevision = '1' }: Facts): readonly KubernetesObject[] {
  if (server === null) return [];
  const [found] = snapshotOf(wishWith({}, { replicas: 1, ordinals: [0], state: 'existing' }), [
    'karmada-apiserver',
  ]).host.objects.filter(({ kind }) => kind === 'Deployment');
  if (found === undefined) throw new Error('there is no API server');
  const annotations = { 'deployment.kubernetes.io/revision': serverRevision };
  const metadata = {
    ...found.metadata,
    annotations: { ...found.metadata.annotations, ...annotations },
  };
  return [{ ...found, metadata, status: server ?? unavailable('ReplicaSetUpdated') }];
}

const isEtcd = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[COMPONENT] === 'etcd';

/** CA backup Secret with the record. */
function backupWith(record: EtcdRecord | undefined): readonly KubernetesObject[] {
  if (record === undefined) return [];
  const annotations = { [RECORD_ANNOTATION]: JSON.stringify(record) };
  const metadata = { name: 'karmada-demo-ca-backup', namespace: 'team', annotations };
  return [{ apiVersion: 'v1', kind: 'Secret', metadata }];
}

/** The control plane as the operator sees it. */
export function given(facts: Facts): {
  readonly snapshot: Snapshot;
  readonly input: ClusterStateInput;
} {
  const { status = NOT_READY, pods = [ETCD, crashed('karmada-apiserver')] } = facts;
  const record = 'record' in facts ? facts.record : UNBORN;
  const { clusterIdentity = { kind: 'unknown' } } = facts;
  const set = setOf(WRONG, facts);
  const found = snapshotOf({ objects: [], steps: new Set() }, []);
  const objects = [set, ...backupWith(record), ...serverOf(facts)];
  const host = { ...found.host, objects, pods };
  const snapshot = { ...found, karmada: { ...karmadaOf(), status }, host };
  const members = pods.filter(isEtcd);
  return {
    snapshot,
    input: { live: set, record, members, clusterIdentity, hasServed: hasServed(snapshot) },
  };
}
