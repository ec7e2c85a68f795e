/** Pods of a component in the states that the kubelet reports, with their Events. */
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { KarmadaSpec } from '../../api/karmada.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { ComponentName } from '../../api/component-catalog.ts';
import { COMPONENTS } from '../../components/registry.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { Cause, Surroundings } from '../cause.ts';
import { allSettings, componentCause, subjectOf } from '../component-cause.ts';
import type { EventFact } from '../event-facts.ts';
import { Redactions } from '../redactions.ts';

export const NOW = Date.parse('2026-01-01T00:10:00Z');

/** RFC 3339 time before NOW. */
export const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();

export interface SceneInput {
  readonly component: ComponentName;
  readonly spec?: KarmadaSpec;
  /** Spec that failed before a rollback. */
  readonly target?: KarmadaSpec;
  /** Live objects, if those with defaults do not suffice. */
  readonly objects?: readonly KubernetesObject[];
  /** `status` of the Pod. */
  readonly status?: object;
  /** Status of the container of the component. */
  readonly main?: object;
  /** Events of the Pod. */
  readonly told?: readonly Partial<EventFact>[];
  /** Events of the workload. */
  readonly workloadTold?: readonly Partial<EventFact>[];
  readonly more?: Partial<Surroundings>;
  readonly pods?: readonly KubernetesObject[];
  /** Status of the workload. */
  readonly workloadStatus?: object;
}

const fact = (given: Partial<EventFact>, uid: string): EventFact => ({
  uid,
  reason: '',
  note: '',
  count: 3,
  firstAt: NOW - 30_000,
  lastAt: NOW - 1_000,
  ...given,
});

/** Objects of a control plane with defaults. */
const DEFAULTS: readonly KubernetesObject[] = wishOf()
  .objects.filter(({ cluster }) => cluster === 'host')
  .map(live);

/** Objects of the control plane, with this status of the workload of the component. */
function objectsOf({
  component,
  objects = DEFAULTS,
  workloadStatus,
}: SceneInput): readonly KubernetesObject[] {
  return objects.map((object) =>
    workloadStatus !== undefined &&
    object.metadata.labels?.[COMPONENT] === component &&
    'status' in object
      ? { ...object, status: workloadStatus }
      : object,
  );
}

/** A Pod of the workload. */
function podOf(input: SceneInput, workload: KubernetesObject): KubernetesObject {
  const { component, status = {}, main } = input;
  const { name, uid = '' } = workload.metadata;
  const isSet = workload.kind === 'StatefulSet';
  const owner = isSet
    ? { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true }
    : {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: `${name}-abc`,
        uid: 'rs',
        controller: true,
      };
  const container = {
    name: mainName(workload),
    ready: false,
    restartCount: 0,
    image: 'registry.example.com/x:v1',
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: isSet ? `${name}-0` : `${name}-abc-x1`,
      namespace: 'team',
      uid: 'pod',
      labels: { [COMPONENT]: component, 'pod-template-hash': 'abc' },
      ownerReferences: [owner],
      creationTimestamp: ago(90),
    },
    spec: { nodeName: 'node-1', containers: [] },
    status: {
      ...(main !== undefined && { containerStatuses: [{ ...container, ...main }] }),
      ...status,
    },
  };
}

const mainName = (workload: KubernetesObject): string => {
  const { template } = workload['spec'] as {
    template: { spec: { containers: { name: string }[] } };
  };
  return template.spec.containers[0]?.name ?? '';
};

/** Cause of a component in a scene. */
export function causeIn(input: SceneInput): Cause | undefined {
  const component = COMPONENTS.find(({ name }) => name === input.component);
  if (component === undefined) throw new Error(`no component ${input.component}`);
  const objects = objectsOf(input);
  const facts = { defaultStorageClass: false };
  const spec = defaultSpec(input.spec ?? {}, facts);
  const target = input.target && defaultSpec(input.target, facts);
  const whole = { spec, target, objects };
  const redactionOf = new Redactions().of(allSettings([component], whole));
  const subject = subjectOf(component, whole, redactionOf);
  const { workload } = subject;
  if (workload === undefined) throw new Error(`no workload of ${input.component}`);
  const pods = input.pods ?? [podOf(input, workload)];
  const events = [
    ...(input.told ?? []).map((given) => fact(given, 'pod')),
    ...(input.workloadTold ?? []).map((given) => fact(given, workload.metadata.uid ?? '')),
    ...(input.more?.events ?? []),
  ];
  return componentCause(subject, { claims: [], now: NOW, ...input.more, pods, events });
}

/** State of a container that the kubelet starts again. */
export const crashed = (message: string, more: object = {}): object => ({
  restartCount: 3,
  state: {
    waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' },
  },
  lastState: {
    terminated: { exitCode: 1, reason: 'Error', finishedAt: ago(20), message, ...more },
  },
});
