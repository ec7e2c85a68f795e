/** Rejections of updates that the operator depends on. Pure functions. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { invalid, StatusError } from './errors.ts';
import { isEqual, type Json } from './json.ts';

const specOf = (object: KubernetesObject): Json => (object['spec'] ?? {}) as Json;

/** Spec fields of a StatefulSet that can change. */
const OF_STATEFUL_SETS: ReadonlySet<string> = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);
/** Spec fields of a PVC that can change; the volume only once. */
const OF_CLAIMS: ReadonlySet<string> = new Set([
  'resources',
  'volumeName',
  'volumeAttributesClassName',
]);

function otherFields(
  before: KubernetesObject,
  after: KubernetesObject,
  mutable: ReadonlySet<string>,
): boolean {
  const [old, now] = [specOf(before), specOf(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].some((name) => !mutable.has(name) && !isEqual(old[name], now[name]));
}

type Check = (before: KubernetesObject, after: KubernetesObject) => string | undefined;

const unchanged =
  (path: string): Check =>
  (before, after) => {
    const at = (object: unknown): unknown =>
      path.split('.').reduce((value, step) => (value as Json | undefined)?.[step], object);
    return isEqual(at(before), at(after)) ? undefined : `${path}\0field is immutable`;
  };

const CHECKS: Readonly<Record<string, Check>> = {
  Deployment: unchanged('spec.selector'),
  RoleBinding: unchanged('roleRef'),
  ClusterRoleBinding: unchanged('roleRef'),
  StatefulSet: (before, after) =>
    otherFields(before, after, OF_STATEFUL_SETS)
      ? `spec\0Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`
      : undefined,
  PersistentVolumeClaim: (before, after) =>
    otherFields(before, after, OF_CLAIMS)
      ? 'spec\0Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
      : undefined,
  Secret: (before, after) =>
    before['immutable'] === true && !isEqual(before['data'], after['data'])
      ? 'data\0Forbidden: field is immutable when `immutable` is set'
      : unchanged('type')(before, after),
};

/** @throws StatusError 422 if the update changes an immutable field */
export function validateUpdate(before: KubernetesObject, after: KubernetesObject): void {
  const found = CHECKS[before.kind]?.(before, after);
  if (found === undefined) return;
  const [field = '', message = ''] = found.split('\0');
  throw invalid(`${before.kind} "${before.metadata.name}"`, field, message);
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

interface NameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly text: string;
}

const SUBDOMAIN: NameRule = {
  pattern: new RegExp(`^${LABEL}(\\.${LABEL})*$`),
  maxLength: 253,
  text: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
};
const NAMESPACE_NAME: NameRule = {
  pattern: new RegExp(`^${LABEL}$`),
  maxLength: 63,
  text: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
};
const SERVICE_NAME: NameRule = {
  pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  maxLength: 63,
  text: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
};
const PATH_SEGMENT: NameRule = {
  pattern: /^(?!\.{1,2}$)[^/%]+$/,
  maxLength: Infinity,
  text: "may not be '.' or '..', nor contain '/' or '%'",
};

/** Rules of names, by kind; that of all others is `SUBDOMAIN`. */
const NAME_RULES: Readonly<Record<string, NameRule>> = {
  Namespace: NAMESPACE_NAME,
  Service: SERVICE_NAME,
  Role: PATH_SEGMENT,
  RoleBinding: PATH_SEGMENT,
  ClusterRole: PATH_SEGMENT,
  ClusterRoleBinding: PATH_SEGMENT,
  APIService: PATH_SEGMENT,
};

/** @throws StatusError 422 if an API server would not store an object with this name */
export function validateName({ kind, metadata: { name } }: KubernetesObject): void {
  const { pattern, maxLength, text } = NAME_RULES[kind] ?? SUBDOMAIN;
  const message = `Invalid value: "${name}": ${text}`;
  if (name.length > maxLength || !pattern.test(name))
    throw invalid(`${kind} "${name}"`, 'metadata.name', message);
}

/** @throws StatusError 404 if the Namespace does not exist, 403 if it terminates */
export function validateNamespace(
  object: KubernetesObject,
  namespace: KubernetesObject | undefined,
): void {
  const name = object.metadata.namespace ?? '';
  if (namespace === undefined)
    throw new StatusError(404, 'NotFound', `namespaces "${name}" not found`);
  if (namespace.metadata.deletionTimestamp === undefined) return;
  const text = `unable to create new content in namespace ${name} because it is being terminated`;
  const cause = { reason: 'NamespaceTerminating', message: text, field: 'metadata.namespace' };
  throw new StatusError(403, 'Forbidden', text, [cause]);
}
