/** What a report shows of objects of a host cluster. */
import {
  commandLine,
  each,
  fields,
  free,
  list,
  map,
  omitted,
  shown,
  sizes,
  type Shape,
} from './shape.ts';

const LABELS = new RegExp(
  [
    String.raw`^app\.kubernetes\.io\/(name|instance|managed-by|component|part-of|version)$`,
    String.raw`^operator\.karmada\.io\/(cluster|etcd-kept)$`,
    '^(pod-template-hash|controller-revision-hash|karmada-app)$',
    String.raw`^(statefulset\.kubernetes\.io\/pod-name|apps\.kubernetes\.io\/pod-index)$`,
    String.raw`^(topology|node-role|node)\.kubernetes\.io\/`,
    String.raw`^kubernetes\.io\/(arch|hostname|os)$`,
  ].join('|'),
);

export const labels = map(free, (key) => (LABELS.test(key) ? shown : undefined));

const annotations = map(free, (key) =>
  key === 'kubectl.kubernetes.io/last-applied-configuration' ? omitted : undefined,
);

const managedFields = list(
  fields({
    ...each(shown, 'manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'subresource'),
    fieldsV1: omitted,
  }),
);

export const metadata = fields({
  ...each(shown, 'name', 'namespace', 'generateName', 'uid', 'resourceVersion', 'generation'),
  ...each(shown, 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'),
  ...each(shown, 'finalizers', 'ownerReferences'),
  labels,
  annotations,
  managedFields,
});

/** An object of any kind with these parts. */
const object = (parts: Readonly<Record<string, Shape>>): Shape =>
  fields({ ...each(shown, 'apiVersion', 'kind'), metadata, ...parts });

/** Name of an object and key in it. */
const reference = fields(each(shown, 'name', 'key', 'optional', 'namespace'));

const selector = fields({
  matchLabels: labels,
  matchExpressions: list(fields({ ...each(shown, 'key', 'operator'), values: list(free) })),
});

const environment = fields({
  name: shown,
  value: free,
  valueFrom: fields({
    ...each(reference, 'secretKeyRef', 'configMapKeyRef'),
    ...each(shown, 'fieldRef', 'resourceFieldRef'),
  }),
});

const probe = fields({
  ...each(shown, 'initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold'),
  ...each(shown, 'failureThreshold', 'terminationGracePeriodSeconds'),
  ...each(fields({ ...each(shown, 'port', 'scheme'), path: free }), 'httpGet', 'tcpSocket', 'grpc'),
});

const volumeMount = fields({
  ...each(shown, 'name', 'readOnly'),
  ...each(free, 'mountPath', 'subPath'),
});

const resourceAmounts = fields({ ...each(map(shown), 'limits', 'requests'), claims: free });

const container = fields({
  ...each(shown, 'name', 'image', 'imagePullPolicy', 'restartPolicy', 'ports', 'securityContext'),
  ...each(shown, 'terminationMessagePolicy'),
  ...each(commandLine, 'command', 'args'),
  env: list(environment),
  envFrom: list(fields({ ...each(reference, 'secretRef', 'configMapRef'), prefix: shown })),
  resources: resourceAmounts,
  volumeMounts: list(volumeMount),
  ...each(probe, 'livenessProbe', 'readinessProbe', 'startupProbe'),
});

const volume = fields({
  name: shown,
  secret: fields({ ...each(shown, 'secretName', 'items', 'optional', 'defaultMode') }),
  configMap: fields({ ...each(shown, 'name', 'items', 'optional', 'defaultMode') }),
  // Names of objects, keys and fields. The API server adds such a volume to every Pod.
  ...each(shown, 'persistentVolumeClaim', 'projected', 'downwardAPI'),
  emptyDir: fields(each(shown, 'medium', 'sizeLimit')),
  hostPath: fields({ path: free, type: shown }),
});

const tolerations = list(
  fields({ ...each(shown, 'key', 'operator', 'effect', 'tolerationSeconds'), value: free }),
);

const podParts: Readonly<Record<string, Shape>> = {
  ...each(list(container), 'containers', 'initContainers', 'ephemeralContainers'),
  volumes: list(volume),
  tolerations,
  nodeSelector: labels,
  imagePullSecrets: list(reference),
  ...each(shown, 'nodeName', 'serviceAccountName', 'priorityClassName', 'priority'),
  ...each(shown, 'restartPolicy', 'schedulerName', 'terminationGracePeriodSeconds', 'dnsPolicy'),
  ...each(shown, 'hostNetwork', 'automountServiceAccountToken', 'securityContext'),
  ...each(shown, 'enableServiceLinks', 'preemptionPolicy', 'runtimeClassName', 'subdomain'),
  ...each(shown, 'hostname', 'serviceAccount'),
};

const pod = fields(podParts);

const claimSpec = fields({
  ...each(shown, 'accessModes', 'resources', 'storageClassName', 'volumeMode', 'volumeName'),
});

const claim = object({ spec: claimSpec, status: shown });

/** Deployments and StatefulSets. */
const workload = object({
  spec: fields({
    ...each(shown, 'replicas', 'strategy', 'updateStrategy', 'serviceName', 'minReadySeconds'),
    ...each(shown, 'podManagementPolicy', 'revisionHistoryLimit', 'progressDeadlineSeconds'),
    ...each(shown, 'persistentVolumeClaimRetentionPolicy', 'paused'),
    selector,
    template: fields({ metadata, spec: pod }),
    volumeClaimTemplates: list(claim),
  }),
  status: shown,
});

const service = object({
  spec: fields({
    ...each(shown, 'type', 'clusterIP', 'clusterIPs', 'ports', 'ipFamilies', 'ipFamilyPolicy'),
    ...each(shown, 'externalIPs', 'loadBalancerIP', 'loadBalancerClass', 'sessionAffinity'),
    ...each(shown, 'externalTrafficPolicy', 'internalTrafficPolicy', 'publishNotReadyAddresses'),
    selector: labels,
  }),
  status: shown,
});

const node = object({
  spec: fields({
    ...each(shown, 'unschedulable', 'podCIDR', 'podCIDRs'),
    taints: list(fields({ ...each(shown, 'key', 'effect', 'timeAdded'), value: free })),
  }),
  status: fields({
    ...each(shown, 'addresses', 'allocatable', 'capacity', 'conditions', 'nodeInfo'),
    // Names of all images on the node.
    images: omitted,
  }),
});

const event = fields({
  ...each(shown, 'type', 'reason', 'note', 'regarding', 'related', 'action', 'eventTime'),
  ...each(shown, 'series', 'reportingController', 'deprecatedSource', 'deprecatedCount'),
  ...each(shown, 'deprecatedFirstTimestamp', 'deprecatedLastTimestamp'),
  metadata: fields({
    ...each(shown, 'name', 'namespace', 'creationTimestamp', 'uid', 'resourceVersion'),
    ...each(omitted, 'managedFields', 'annotations', 'labels'),
  }),
});

/** Shapes by kind. */
export const HOST_SHAPES = {
  Deployment: workload,
  StatefulSet: workload,
  Service: service,
  PodDisruptionBudget: object({
    spec: fields({ ...each(shown, 'minAvailable', 'maxUnavailable'), selector }),
    status: shown,
  }),
  NetworkPolicy: object({ spec: shown }),
  PersistentVolumeClaim: claim,
  ConfigMap: object({ ...each(sizes, 'data', 'binaryData'), immutable: shown }),
  Pod: object({ spec: pod, status: shown }),
  Node: node,
  Event: event,
  ResourceQuota: object({ ...each(shown, 'spec', 'status') }),
  LimitRange: object({ spec: shown }),
  StorageClass: object({
    ...each(shown, 'provisioner', 'reclaimPolicy', 'volumeBindingMode', 'allowVolumeExpansion'),
  }),
} as const satisfies Readonly<Record<string, Shape>>;
