import type { KubernetesObject } from './object.ts';

/** Where a kind lives in the REST API. */
export interface ResourceType {
  /** API group, empty for core. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural in the URL. */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Name, and namespace where the kind has one. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** Describes a namespaced kind. */
export function namespacedType(apiVersion: string, kind: string, plural: string): ResourceType {
  return { ...splitApiVersion(apiVersion), kind, plural, namespaced: true };
}

/** Describes a cluster-scoped kind. */
export function clusterType(apiVersion: string, kind: string, plural: string): ResourceType {
  return { ...splitApiVersion(apiVersion), kind, plural, namespaced: false };
}

function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

const n = namespacedType;
const c = clusterType;

/** Every kind that is handled without discovery. */
export const resources = {
  Namespace: c('v1', 'Namespace', 'namespaces'),
  Node: c('v1', 'Node', 'nodes'),
  PersistentVolume: c('v1', 'PersistentVolume', 'persistentvolumes'),
  Pod: n('v1', 'Pod', 'pods'),
  Service: n('v1', 'Service', 'services'),
  Endpoints: n('v1', 'Endpoints', 'endpoints'),
  Secret: n('v1', 'Secret', 'secrets'),
  ConfigMap: n('v1', 'ConfigMap', 'configmaps'),
  ServiceAccount: n('v1', 'ServiceAccount', 'serviceaccounts'),
  PersistentVolumeClaim: n('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
  ResourceQuota: n('v1', 'ResourceQuota', 'resourcequotas'),
  LimitRange: n('v1', 'LimitRange', 'limitranges'),
  Deployment: n('apps/v1', 'Deployment', 'deployments'),
  StatefulSet: n('apps/v1', 'StatefulSet', 'statefulsets'),
  DaemonSet: n('apps/v1', 'DaemonSet', 'daemonsets'),
  ReplicaSet: n('apps/v1', 'ReplicaSet', 'replicasets'),
  ControllerRevision: n('apps/v1', 'ControllerRevision', 'controllerrevisions'),
  Job: n('batch/v1', 'Job', 'jobs'),
  CronJob: n('batch/v1', 'CronJob', 'cronjobs'),
  PodDisruptionBudget: n('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  Role: n('rbac.authorization.k8s.io/v1', 'Role', 'roles'),
  RoleBinding: n('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'),
  ClusterRole: c('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles'),
  ClusterRoleBinding: c(
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    'clusterrolebindings',
  ),
  SelfSubjectAccessReview: c(
    'authorization.k8s.io/v1',
    'SelfSubjectAccessReview',
    'selfsubjectaccessreviews',
  ),
  SelfSubjectRulesReview: c(
    'authorization.k8s.io/v1',
    'SelfSubjectRulesReview',
    'selfsubjectrulesreviews',
  ),
  Lease: n('coordination.k8s.io/v1', 'Lease', 'leases'),
  Event: n('events.k8s.io/v1', 'Event', 'events'),
  EndpointSlice: n('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  NetworkPolicy: n('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  PriorityClass: c('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses'),
  CustomResourceDefinition: c(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
  ),
  APIService: c('apiregistration.k8s.io/v1', 'APIService', 'apiservices'),
  ValidatingAdmissionPolicy: c(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
  ),
  ValidatingAdmissionPolicyBinding: c(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
  ),
  MutatingWebhookConfiguration: c(
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
  ),
  ValidatingWebhookConfiguration: c(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
  ),
  StorageClass: c('storage.k8s.io/v1', 'StorageClass', 'storageclasses'),
  CertificateSigningRequest: c(
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    'certificatesigningrequests',
  ),
} as const satisfies Readonly<Record<string, ResourceType>>;

/** `apiVersion` of a kind, `group/version` or `version`. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/**
 * The type of an object, from the built-in table and from `more`.
 * @throws Error when the kind is in neither
 */
export function typeOf(
  object: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
  more: readonly ResourceType[] = [],
): ResourceType {
  const all: readonly ResourceType[] = [...more, ...Object.values(resources)];
  const found = all.find(
    (type) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion,
  );
  if (found === undefined) {
    throw new Error(
      `${object.apiVersion} ${object.kind} is not a known kind: add it to the resource table`,
    );
  }
  return found;
}

/** Namespace and name of an object. */
export function keyOf(object: Pick<KubernetesObject, 'metadata'>): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** `namespace/name`, or just the name of a cluster-scoped object. */
export function keyText(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

/** For messages: `Deployment team/demo-etcd`. */
export function describe(type: ResourceType, key?: ObjectKey): string {
  return key === undefined ? type.plural : `${type.kind} ${keyText(key)}`;
}

function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new Error(`${what} must not be ${JSON.stringify(text)}`);
  }
  return encodeURIComponent(text);
}

/**
 * Path of an object, or of a collection when `key` has no name.
 * @throws Error on an empty name (a DELETE without a name would empty the collection) and on a missing namespace
 */
export function pathOf(
  type: ResourceType,
  key: { readonly namespace?: string; readonly name?: string },
  subresource?: string,
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  if (type.namespaced && key.name !== undefined && key.namespace === undefined) {
    throw new Error(`${type.kind} ${key.name} needs a namespace`);
  }
  const scoped = type.namespaced && key.namespace !== undefined;
  const parts = [
    root,
    ...(scoped ? ['namespaces', segment(key.namespace ?? '', 'a namespace')] : []),
    type.plural,
    ...(key.name === undefined ? [] : [segment(key.name, 'a name')]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return parts.join('/');
}
