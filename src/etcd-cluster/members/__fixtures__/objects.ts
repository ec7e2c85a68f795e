/** Kubernetes objects of a running etcd with three members, as tests of the membership changes read them. */
import { answerOf, AT, idOf } from '../../../etcd/__fixtures__/answers.ts';
import type { EtcdMemberStatus } from '../../../etcd/member-status.ts';
import type { KarmadaSpec } from '../../../api/karmada.ts';
import type { EtcdMembership } from '../../../components/component.ts';
import type { KubernetesObject, ObjectMeta } from '../../../kubernetes/objects/object.ts';
import type { DesiredObject } from '../../../instance/desired-objects.ts';
import { karmadaOf, pod, snapshotOf, wishWith } from '../../../instance/__fixtures__/instance.ts';
import type { Snapshot } from '../../../instance/snapshot.ts';
import { etcdWorkload } from '../../../features/etcd-storage/plan-etcd.ts';
import {
  CLAIM_ANNOTATION,
  RECORD_ANNOTATION,
  type ClaimAnnotation,
  type EtcdRecord,
} from '../../identity/record.ts';

/** Cluster ID of the etcd. */
const CLUSTER = 'c0ffee';
const MEMBERS = 3;
const ORDINALS = [0, 1, 2];

/** Name of the Pod with an ordinal. */
export const nameOf = (ordinal: number): string => `karmada-demo-etcd-${String(ordinal)}`;

const claimName = (ordinal: number): string => `etcd-data-${nameOf(ordinal)}`;

/** Record of the cluster of three members on PVCs. */
export const RECORD: EtcdRecord = {
  state: 'born',
  token: 't',
  members: MEMBERS,
  clusterID: CLUSTER,
  ca: 'a1',
  data: ORDINALS.map((ordinal) => `uid-${claimName(ordinal)}`),
};

/** Annotation of a PVC with data of the cluster. */
export const stampOf = (ordinal: number, clusterID = CLUSTER): string => {
  const stamp: ClaimAnnotation = { clusterID, token: 't', ordinal, members: MEMBERS, ca: 'a1' };
  return JSON.stringify(stamp);
};

type Local = NonNullable<NonNullable<KarmadaSpec['components']>['etcd']>['local'];

interface Given {
  /** Settings of `spec.components.etcd.local`. Defaults to three members on PVCs. */
  readonly local?: Local;
  /** Text of the annotation of the CA backup Secret; null for a Secret without it. */
  readonly record?: string | null;
  readonly state?: EtcdMembership['state'];
  /** Number of Pods in the flags of the StatefulSet. Defaults to three. */
  readonly members?: number;
}

const membershipWith = ({ state = 'existing', members = MEMBERS }: Given): EtcdMembership => ({
  replicas: members,
  ordinals: Array.from({ length: members }, (_, ordinal) => ordinal),
  state,
});

/** Spec of an etcd with these settings. */
const specWith = (local: Local = {}): KarmadaSpec => ({
  components: {
    etcd: { local: { replicas: MEMBERS, volumeData: { volumeClaim: { spec: {} } }, ...local } },
  },
});

/** Rendered StatefulSet. */
export function desiredSet(given: Given = {}): DesiredObject {
  const { objects } = wishWith(specWith(given.local), membershipWith(given));
  const found = objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found;
}

/** Snapshot with the objects of a running etcd. */
export function snapshotWith(given: Given = {}): Snapshot {
  const { local, record = JSON.stringify(RECORD) } = given;
  const spec = specWith(local);
  const karmada = karmadaOf(spec);
  const snapshot = snapshotOf(wishWith(spec, membershipWith(given)), ['etcd'], { karmada });
  const annotations = { ...(record !== null && { [RECORD_ANNOTATION]: record }) };
  const metadata = { name: 'karmada-demo-ca-backup', namespace: 'team', annotations };
  const backup = { apiVersion: 'v1', kind: 'Secret', metadata };
  const objects = [...snapshot.host.objects, backup];
  const [pods, claims] = [ORDINALS.map((n) => podAt(n)), ORDINALS.map((n) => claimAt(n))];
  return { ...snapshot, host: { ...snapshot.host, objects, pods, claims } };
}

/** StatefulSet of a snapshot. */
export function setIn(snapshot: Snapshot): KubernetesObject {
  const found = etcdWorkload(snapshot);
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found;
}

interface Changes {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: object;
  readonly status?: object;
}

/** Pod of the current template, which runs and is ready. */
export function podAt(ordinal: number, { metadata, ...more }: Changes = {}): KubernetesObject {
  const { template } = desiredSet().object['spec'] as { template: { spec: object } };
  const found = pod('etcd', { name: nameOf(ordinal) });
  const conditions = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'True' },
  ];
  const containerStatuses = [{ restartCount: 0, state: { running: {} } }];
  return {
    ...found,
    spec: template.spec,
    status: { podIP: '10.0.0.1', conditions, containerStatuses },
    ...more,
    metadata: { ...found.metadata, ...metadata },
  };
}

/** Bound PVC with data of the cluster. */
export function claimAt(ordinal: number, { metadata, ...more }: Changes = {}): KubernetesObject {
  const name = claimName(ordinal);
  const annotations = { [CLAIM_ANNOTATION]: stampOf(ordinal) };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    spec: { volumeName: `pv-${name}` },
    status: { phase: 'Bound' },
    ...more,
    metadata: { name, namespace: 'team', uid: `uid-${name}`, annotations, ...metadata },
  };
}

/** Responses of healthy members in these Pods; the first one leads. */
export function answersOf(ordinals: readonly number[] = ORDINALS): readonly EtcdMemberStatus[] {
  const names = ordinals.map(nameOf);
  const members = names.map((name) => ({
    id: idOf(name),
    name,
    isLearner: false,
    peerURLs: [`https://${name}.karmada-demo-etcd.team.svc.cluster.local:2380`],
  }));
  return names.map((name) => answerOf(name, names, { at: AT, members }));
}
