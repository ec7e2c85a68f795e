import type {
  ConfigMap,
  ControllerRevision,
  CustomResourceDefinition,
  Deployment,
  Event,
  Job,
  Lease,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  ReplicaSet,
  ResourceQuota,
  Secret,
  Service,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
} from './kinds.ts';
import type { Pod } from './pod-kinds.ts';
import type { KubernetesObject } from './object.ts';

declare const OBJECT: unique symbol;

/** REST mapping of a kind, whose objects have the type `T`. */
export interface ResourceType<T extends KubernetesObject = KubernetesObject> {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Resource name in the URL. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** What is checked of each object in a response; see shapes/. */
  readonly shape?: (object: KubernetesObject) => string | undefined;
  /** Exists only as a type: what calls with this resource return. */
  readonly [OBJECT]?: T;
}

/** Name of an object, with the namespace of a namespaced kind. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** Creates the resource type of a namespaced kind. */
export function namespacedType<T extends KubernetesObject = KubernetesObject>(
  apiVersion: string,
  kind: string,
  plural: string,
): ResourceType<T> {
  return { ...splitApiVersion(apiVersion), kind, plural, namespaced: true };
}

/** Creates the resource type of a cluster-scoped kind. */
export function clusterType<T extends KubernetesObject = KubernetesObject>(
  apiVersion: string,
  kind: string,
  plural: string,
): ResourceType<T> {
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

/** Built-in resource types. The operator does not use API discovery. */
export const resources = {
  Namespace: c('v1', 'Namespace', 'namespaces'),
  Node: c<Node>('v1', 'Node', 'nodes'),
  PersistentVolume: c<PersistentVolume>('v1', 'PersistentVolume', 'persistentvolumes'),
  Pod: n<Pod>('v1', 'Pod', 'pods'),
  Service: n<Service>('v1', 'Service', 'services'),
  Endpoints: n('v1', 'Endpoints', 'endpoints'),
  Secret: n<Secret>('v1', 'Secret', 'secrets'),
  ConfigMap: n<ConfigMap>('v1', 'ConfigMap', 'configmaps'),
  ServiceAccount: n('v1', 'ServiceAccount', 'serviceaccounts'),
  PersistentVolumeClaim: n<PersistentVolumeClaim>(
    'v1',
    'PersistentVolumeClaim',
    'persistentvolumeclaims',
  ),
  ResourceQuota: n<ResourceQuota>('v1', 'ResourceQuota', 'resourcequotas'),
  LimitRange: n('v1', 'LimitRange', 'limitranges'),
  Deployment: n<Deployment>('apps/v1', 'Deployment', 'deployments'),
  StatefulSet: n<StatefulSet>('apps/v1', 'StatefulSet', 'statefulsets'),
  DaemonSet: n('apps/v1', 'DaemonSet', 'daemonsets'),
  ReplicaSet: n<ReplicaSet>('apps/v1', 'ReplicaSet', 'replicasets'),
  ControllerRevision: n<ControllerRevision>('apps/v1', 'ControllerRevision', 'controllerrevisions'),
  Job: n<Job>('batch/v1', 'Job', 'jobs'),
  CronJob: n('batch/v1', 'CronJob', 'cronjobs'),
  PodDisruptionBudget: n<PodDisruptionBudget>(
    'policy/v1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
  ),
  Role: n('rbac.authorization.k8s.io/v1', 'Role', 'roles'),
  RoleBinding: n('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'),
  ClusterRole: c('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles'),
  ClusterRoleBinding: c(
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    'clusterrolebindings',
  ),
  SelfSubjectAccessReview: c<SubjectAccessReview>(
    'authorization.k8s.io/v1',
    'SelfSubjectAccessReview',
    'selfsubjectaccessreviews',
  ),
  TokenReview: c('authentication.k8s.io/v1', 'TokenReview', 'tokenreviews'),
  SubjectAccessReview: c<SubjectAccessReview>(
    'authorization.k8s.io/v1',
    'SubjectAccessReview',
    'subjectaccessreviews',
  ),
  SelfSubjectRulesReview: c(
    'authorization.k8s.io/v1',
    'SelfSubjectRulesReview',
    'selfsubjectrulesreviews',
  ),
  Lease: n<Lease>('coordination.k8s.io/v1', 'Lease', 'leases'),
  Event: n<Event>('events.k8s.io/v1', 'Event', 'events'),
  EndpointSlice: n('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  NetworkPolicy: n('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  PriorityClass: c('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses'),
  CustomResourceDefinition: c<CustomResourceDefinition>(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
  ),
  APIService: c('apiregistration.k8s.io/v1', 'APIService', 'apiservices'),
  FlowSchema: c('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'flowschemas'),
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
  StorageClass: c<StorageClass>('storage.k8s.io/v1', 'StorageClass', 'storageclasses'),
  CertificateSigningRequest: c(
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    'certificatesigningrequests',
  ),
} as const satisfies Readonly<Record<string, ResourceType>>;

/** `apiVersion` of a kind: `group/version`, or `version` for the core group. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/**
 * Resource type of an object, from `more` or the built-in types.
 * @throws Error for an unknown kind
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

/** Key as text: `namespace/name`, or the name of a cluster-scoped object. */
export function keyText(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

/** Namespace of a key as text, such as `namespace/name`; empty without one. */
export const namespaceOf = (text: string): string => text.slice(0, Math.max(0, text.indexOf('/')));

/** Text for messages: `Deployment team/demo-etcd`, or the plural of the kind without a key. */
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
 * URL path of an object, or of a collection if `key` has no name.
 * @throws Error for an empty name, because a DELETE without a name deletes the collection; for a missing namespace
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
