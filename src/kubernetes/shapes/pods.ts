/** Shapes of Pods and their templates. */
import type { Container, ContainerStatus, Ended, Pod, PodSpec, PodTemplate } from '../pod-kinds.ts';
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

const podSpec: Shape<PodSpec> = fieldsOf({
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
});

export const podTemplate: Shape<PodTemplate> = fieldsOf({
  metadata: fieldsOf({ labels: texts, annotations: texts }),
  spec: podSpec,
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
