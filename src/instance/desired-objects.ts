/** Renders all desired objects of a control plane, except Secrets: pure, from the spec and the certificates. */
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import { isWorkload } from '../components/workload.ts';
import type {
  Component,
  EstimatorTarget,
  EtcdMembership,
  RenderInput,
  Step,
} from '../components/component.ts';
import { renderComponent } from '../components/desired.ts';
import { installedComponents } from '../components/registry.ts';
import type { Templates } from '../components/render.ts';
import {
  ESTIMATOR_CLIENT_REVISION,
  isRevision,
  type TemplateRevision,
} from '../components/template-revision.ts';
import { renderControlPlane } from '../controlplane/controlplane.ts';
import type { CrdArchive } from '../controlplane/crds.ts';
import { intentHash } from '../kubernetes/objects/intent.ts';
import { identity, type KubernetesObject } from '../kubernetes/objects/object.ts';
import { keysOf, optionalField } from '../kubernetes/objects/records.ts';
import type { CertificatesView } from './snapshot.ts';
import type { TargetCluster } from '../control-plane-access/target-cluster.ts';

export interface DesiredObject {
  readonly cluster: TargetCluster;
  readonly step: Step;
  readonly object: KubernetesObject;
  readonly id: string;
  /** Hash of the intent, as stored in an annotation of the live object. */
  readonly hash: string;
  /** The operator applies a change at once, without regard to install and upgrade order. */
  readonly ignoresOrder?: true;
  /**
   * The operator does not write this object now. If `hash` is the hash of the live object, the object counts as up to
   * date.
   */
  readonly untouched?: true;
}

export interface DesiredObjects {
  readonly objects: readonly DesiredObject[];
  /** Steps of this control plane. A step that is not in the set, such as a disabled addon, counts as complete. */
  readonly steps: ReadonlySet<Step>;
}

/** Rendered objects, which are the same as long as their inputs are. */
export interface Rendered {
  /** Hash of the inputs. */
  readonly inputs: string;
  readonly archive: CrdArchive;
  readonly desired: DesiredObjects;
  /** Workloads of the former template revisions, the latest first; absent if no workload has needed them. */
  readonly former?: readonly (readonly DesiredObject[])[];
}

export interface DesiredInput {
  readonly name: string;
  readonly namespace: string;
  readonly spec: DefaultedSpec;
  readonly certificates: Pick<
    CertificatesView,
    'caBundle' | 'restartHashes' | 'formerRestartHashes' | 'externalServer'
  >;
  /** Contains no CRDs if the archive cannot be read. */
  readonly archive: CrdArchive;
  /** See `RenderInput`. */
  readonly etcdMembership?: EtcdMembership;
  /** See `RenderInput`. */
  readonly etcdTrust?: string;
  /** Member clusters that get an estimator. */
  readonly estimators?: readonly EstimatorTarget[];
  /** See `RenderInput`. */
  readonly revision?: TemplateRevision;
  /** See `RenderInput`. */
  readonly operatorNamespace?: string;
}

/** Renders all objects of a control plane with their step. Deterministic: equal input gives equal output. */
export function renderDesiredObjects(templates: Templates, input: DesiredInput): DesiredObjects {
  const objects = [...hostObjects(templates, input), ...controlPlaneObjects(input)];
  return { objects, steps: new Set(objects.map(({ step }) => step)) };
}

/** Renders the workloads with a former revision of the Pod templates. */
export const renderFormerWorkloads = (
  templates: Templates,
  input: DesiredInput,
  revision: TemplateRevision,
): readonly DesiredObject[] =>
  hostObjects(templates, { ...input, revision }).filter(({ object }) => isWorkload(object));

function hostObjects(templates: Templates, input: DesiredInput): readonly DesiredObject[] {
  const { name, namespace, spec, certificates, etcdMembership, etcdTrust, revision } = input;
  const { operatorNamespace } = input;
  const render: RenderInput = {
    name,
    namespace,
    spec,
    certificatesHash: isRevision(input, ESTIMATOR_CLIENT_REVISION)
      ? certificates.restartHashes
      : certificates.formerRestartHashes,
    estimators: input.estimators ?? [],
    ...(etcdMembership && { etcdMembership }),
    ...(etcdTrust && { etcdTrust }),
    ...(revision !== undefined && { revision }),
    ...optionalField('operatorNamespace', operatorNamespace),
  };
  return installedComponents(spec).flatMap((component) =>
    renderComponent(templates, component, render).map((object) =>
      desiredObject('host', component.name, finished(component, object, render)),
    ),
  );
}

const finished = (
  { finish }: Component,
  object: KubernetesObject,
  input: RenderInput,
): KubernetesObject =>
  finish !== undefined && isWorkload(object) ? finish(object, input) : object;

function controlPlaneObjects(input: DesiredInput): readonly DesiredObject[] {
  const { name, namespace, spec, certificates, archive } = input;
  const { caBundle, externalServer } = certificates;
  const given = { name, namespace, spec, caBundle, ...(externalServer && { externalServer }) };
  const steps = renderControlPlane(given, archive);
  return keysOf(steps).flatMap((step) =>
    steps[step].map((object) => desiredObject('controlPlane', step, object)),
  );
}

/** Wraps a rendered object with its target cluster, step, identity and intent hash. */
export function desiredObject(
  cluster: TargetCluster,
  step: Step,
  object: KubernetesObject,
): DesiredObject {
  return { cluster, step, object, id: identity(object), hash: intentHash(object) };
}
