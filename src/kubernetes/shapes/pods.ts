/** Shapes of Pods and their templates. */
import type {
  Container,
  ContainerStatus,
  Ended,
  Pod,
  PodSpec,
  PodTemplate,
} from '../objects/pod-kinds.ts';
import { conditions, quantities } from './metadata.ts';
import {
  amount,
  fieldsOf,
  flag,
  listOf,
  needed,
  objectWith,
  text,
  textOrNumber,
  texts,
  type Fields,
  type Shape,
} from './shape.ts';

const containers: Shape<readonly Container[]> = listOf(
  fieldsOf({
    name: needed(text),
    image: text,
    command: listOf(text),
    args: listOf(text),
    resources: fieldsOf({ requests: quantities, limits: quantities }),
    env: listOf(fieldsOf({ name: needed(text), value: text })),
    readinessProbe: fieldsOf({ httpGet: fieldsOf({ path: text, port: needed(textOrNumber) }) }),
    volumeMounts: listOf(fieldsOf({ name: needed(text), mountPath: needed(text) })),
  }),
);

const podSpecFields: Fields<PodSpec> = {
  nodeName: text,
  serviceAccountName: text,
  containers,
  initContainers: containers,
  ephemeralContainers: containers,
  volumes: listOf(
    fieldsOf({
      name: needed(text),
      hostPath: fieldsOf({ path: text }),
      persistentVolumeClaim: fieldsOf({ claimName: needed(text) }),
    }),
  ),
};

const podSpec: Shape<PodSpec> = fieldsOf(podSpecFields);

const labeled: Shape<NonNullable<PodTemplate['metadata']>> = fieldsOf({
  labels: texts,
  annotations: texts,
});

export const podTemplate: Shape<PodTemplate> = fieldsOf({
  metadata: labeled,
  spec: podSpec,
});

/** The template of a Deployment or StatefulSet, which has all that `Workload` declares. */
export const workloadTemplate: Shape<PodTemplate> = fieldsOf({
  metadata: needed(labeled),
  spec: needed(fieldsOf<PodSpec>({ ...podSpecFields, containers: needed(containers) })),
});

const ended: Shape<Ended> = fieldsOf({
  exitCode: amount,
  reason: text,
  message: text,
  finishedAt: text,
});

const containerStatuses: Shape<readonly ContainerStatus[]> = listOf(
  fieldsOf({
    name: needed(text),
    image: text,
    ready: flag,
    started: flag,
    restartCount: amount,
    state: fieldsOf({
      waiting: fieldsOf({ reason: text, message: text }),
      running: fieldsOf({ startedAt: text }),
      terminated: ended,
    }),
    lastState: fieldsOf({ terminated: ended }),
  }),
);

export const pod = objectWith<Pod>({
  spec: podSpec,
  status: fieldsOf({
    phase: text,
    reason: text,
    message: text,
    startTime: text,
    podIP: text,
    podIPs: listOf(fieldsOf({ ip: needed(text) })),
    conditions,
    initContainerStatuses: containerStatuses,
    containerStatuses,
    ephemeralContainerStatuses: containerStatuses,
  }),
});
