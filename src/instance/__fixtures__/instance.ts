/** Plain values for the tests of this folder: an instance as it is wanted, and as it may be found. */
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { Karmada, KarmadaSpec } from '../../api/karmada.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { frozen } from '../../components/__fixtures__/memoized.ts';
import type { EstimatorTarget, EtcdMembership, Step } from '../../components/component.ts';
import type { TemplateRevision } from '../../components/template-revision.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  renderDesiredObjects,
  type DesiredObjects,
  type DesiredInput,
  type DesiredObject,
} from '../desired-objects.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import type { CertificatesView, MembersSnapshot, Snapshot } from '../snapshot.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');

export const VIEW: CertificatesView = {
  caBundle: 'bundle',
  externalServer: 'https://karmada.example.com:5443',
  addressAwaited: false,
  restartHashes: { 'karmada-apiserver': 'one', 'karmada-scheduler': 'two' },
  formerRestartHashes: { 'karmada-apiserver': 'one', 'karmada-scheduler': 'former' },
  identities: {},
  expiries: [],
  authorities: [],
  expiresAt: NOW + 86_400_000,
  checkAt: NOW + 3_600_000,
  etcdAuthorities: ['a1'],
  secretNames: ['karmada-demo-cert'],
  remarks: [],
};

const CRD: KubernetesObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'works.work.karmada.io' },
  spec: {},
};

export const ARCHIVE = { crds: [{ definition: CRD }], problems: [] };

export const NO_MEMBERS: MembersSnapshot = {
  state: 'off',
  message: '',
  members: [],
  credentials: new Map(),
  problems: new Map(),
  notes: new Map(),
};

export function karmadaOf(spec: KarmadaSpec = {}): Karmada {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'karmada-demo', namespace: 'team', uid: 'u-1', generation: 2 },
    spec,
  };
}

export function wishOf(
  spec: KarmadaSpec = {},
  estimators: readonly EstimatorTarget[] = [],
): DesiredObjects {
  return desiredOf(inputOf(spec, estimators));
}

/** The same with a former revision of the Pod templates. */
export const wishOfRevision = (
  spec: KarmadaSpec,
  revision: TemplateRevision,
  certificates = VIEW,
): DesiredObjects => desiredOf({ ...inputOf(spec, []), revision, certificates });

/** The same for an etcd with these members. */
export const wishWith = (spec: KarmadaSpec, etcdMembership: EtcdMembership): DesiredObjects =>
  desiredOf({ ...inputOf(spec, []), etcdMembership });

const RENDERED = new Map<string, DesiredObjects>();

/** Renders equal inputs once. The objects are frozen, so that a test that changes a shared object fails. */
function desiredOf(input: DesiredInput): DesiredObjects {
  // An undefined field is not always the same as an absent one.
  const key = JSON.stringify(input, (_, value: unknown) =>
    value === undefined ? 'undefined' : value,
  );
  const { objects, steps } = RENDERED.get(key) ?? renderDesiredObjects(TEMPLATES, input);
  RENDERED.set(key, { objects: frozen(objects), steps });
  return { objects, steps: new Set(steps) };
}

function inputOf(spec: KarmadaSpec, estimators: readonly EstimatorTarget[]): DesiredInput {
  return {
    name: 'karmada-demo',
    namespace: 'team',
    spec: defaultSpec(spec, { defaultStorageClass: false }),
    certificates: VIEW,
    archive: ARCHIVE,
    estimators,
  };
}

/** Status of an object that is as wanted and works. */
function readyStatus(object: KubernetesObject): object | undefined {
  const { replicas = 1 } = (object['spec'] ?? {}) as { replicas?: number };
  const counts = {
    observedGeneration: 1,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
  };
  const conditions = (type: string): object => ({ conditions: [{ type, status: 'True' }] });
  const by: Readonly<Record<string, object>> = {
    Deployment: counts,
    StatefulSet: { ...counts, currentRevision: 'r1', updateRevision: 'r1' },
    CustomResourceDefinition: conditions('Established'),
    APIService: conditions('Available'),
  };
  return by[object.kind];
}

/** The live object that a wanted one becomes when all goes well. */
export function live({ object, hash }: DesiredObject): KubernetesObject {
  const status = readyStatus(object);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: `uid-${object.metadata.name}`,
      resourceVersion: '1',
      generation: 1,
      annotations: {
        ...object.metadata.annotations,
        [APPLIED_HASH]: hash,
        ...(object.kind === 'Deployment' && { 'deployment.kubernetes.io/revision': '1' }),
      },
    },
    ...(status && { status }),
  };
}

/** The StatefulSet that is wanted with these settings of `spec.components.etcd.local`. */
export function statefulSetOf(local: object): DesiredObject {
  const desiredState = wishOf({ components: { etcd: { local } } });
  const found = desiredState.objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found;
}

/** A snapshot in which just these steps are done. */
export function snapshotOf(
  desiredState: DesiredObjects,
  done: readonly Step[],
  more: Partial<Snapshot> = {},
): Snapshot {
  const there = desiredState.objects.filter(({ step }) => done.includes(step));
  const of = (cluster: DesiredObject['cluster']): KubernetesObject[] =>
    there.filter((item) => item.cluster === cluster).map(live);
  const spec = defaultSpec(more.karmada?.spec ?? {}, { defaultStorageClass: false });
  return {
    karmada: karmadaOf(),
    spec,
    now: NOW,
    host: { objects: of('host'), pods: [], claims: [] },
    controlPlane: { state: 'ready', message: '', objects: of('controlPlane') },
    certificates: { state: 'valid', view: VIEW },
    archive: { archive: ARCHIVE },
    members: NO_MEMBERS,
    ...more,
  };
}

/** A pod of a component, ready unless it is said otherwise. */
export function pod(
  component: string,
  more: { name?: string; ready?: boolean; revision?: string } = {},
): KubernetesObject {
  const { name = `${component}-0`, ready = true, revision = 'r1' } = more;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'team',
      uid: `uid-${name}`,
      labels: {
        [COMPONENT]: component,
        [INSTANCE]: 'karmada-demo',
        'controller-revision-hash': revision,
      },
    },
    spec: {
      containers: [
        {
          name: component,
          image: `registry.example.com:5000/${component}:v1.17.1@sha256:${'0'.repeat(64)}`,
        },
      ],
    },
    status: {
      podIP: '10.0.0.1',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}
