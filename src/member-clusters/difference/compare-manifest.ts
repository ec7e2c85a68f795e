/**
 * Compares an object of a member cluster with the manifest of its Work: pure. It compares the fields of the manifest, because the API
 * server of the member cluster sets defaults, and controllers add fields.
 */
import { differences, isObject } from '../../kubernetes/objects/compare.ts';
import { groupOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';

/** Field path; `*` stands for all items of a list. */
type FieldPath = readonly string[];

/** Fields that Karmada never propagates. */
const UNPROPAGATED: readonly FieldPath[] = [
  ['status'],
  ['metadata', 'finalizers'],
  ['metadata', 'ownerReferences'],
  ['metadata', 'selfLink'],
  ['metadata', 'deletionGracePeriodSeconds'],
];

/** Fields that Karmada keeps as they are in the member cluster, by group and kind (its default resource interpreter). */
const RETAINED: Readonly<Record<string, readonly FieldPath[]>> = {
  '/Pod': [
    ['spec', 'nodeName'],
    ['spec', 'serviceAccountName'],
    ['spec', 'volumes'],
    ['spec', 'containers', '*', 'volumeMounts'],
    ['spec', 'initContainers', '*', 'volumeMounts'],
  ],
  '/Service': [
    ['spec', 'clusterIP'],
    ['spec', 'clusterIPs'],
    ['spec', 'healthCheckNodePort'],
  ],
  '/PersistentVolumeClaim': [['spec', 'volumeName']],
  '/PersistentVolume': [['spec', 'claimRef']],
  'batch/Job': [
    ['spec', 'selector', 'matchLabels'],
    ['spec', 'template', 'metadata', 'labels'],
  ],
};

const RETAIN_REPLICAS = 'resourcetemplate.karmada.io/retain-replicas';

const groupKind = ({ apiVersion, kind }: KubernetesObject): string =>
  `${groupOf(apiVersion)}/${kind}`;

function retainedFields(manifest: KubernetesObject): readonly FieldPath[] {
  const known = groupKind(manifest);
  if (known === 'apps/Deployment')
    return manifest.metadata.labels?.[RETAIN_REPLICAS] === 'true' ? [['spec', 'replicas']] : [];
  if (known === '/Secret') return isTokenSecret(manifest) ? [['data']] : [];
  return RETAINED[known] ?? [];
}

const isTokenSecret = (object: KubernetesObject): boolean =>
  object['type'] === 'kubernetes.io/service-account-token';

/** Maps and lists that belong to the manifest as a whole: Karmada removes what only the member cluster has. */
const WHOLE: Readonly<Record<string, readonly FieldPath[]>> = {
  '/ConfigMap': [['data'], ['binaryData']],
  '/Secret': [['data']],
  '/Service': [
    ['spec', 'selector'],
    ['spec', 'ports'],
  ],
};

/** Most paths that are returned. */
const MAX_PATHS = 5;

/**
 * Paths of the fields that Karmada would change in the member cluster, at most five.
 *
 * A field that only the member cluster has is no difference, except in ConfigMaps, Secrets and Services. If a field of another kind was
 * added after the backup, the generation of the resource template differs, which is an annotation of the manifest.
 */
export function changedFields(
  live: KubernetesObject,
  manifest: KubernetesObject,
): readonly string[] {
  const ignored = [...UNPROPAGATED, ...retainedFields(manifest)];
  const compared = ignored.reduce<unknown>(withoutField, manifest) as KubernetesObject;
  const changed = differences(live, compared);
  const removed = isTokenSecret(manifest)
    ? []
    : (WHOLE[groupKind(manifest)] ?? []).flatMap((path) => removedFields(live, manifest, path));
  return [...new Set([...changed, ...removed])].slice(0, MAX_PATHS);
}

/** Fields below a path that only the member cluster has. */
function removedFields(
  live: KubernetesObject,
  manifest: KubernetesObject,
  path: FieldPath,
): readonly string[] {
  const [present, desired] = [valueAt(live, path), valueAt(manifest, path)];
  const name = path.join('.');
  if (Array.isArray(present))
    return present.length > (Array.isArray(desired) ? desired.length : 0) ? [name] : [];
  if (!isObject(present)) return [];
  const kept = isObject(desired) ? desired : {};
  return Object.keys(present)
    .filter((key) => !Object.hasOwn(kept, key))
    .map((key) => `${name}.${key}`);
}

const valueAt = (value: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>((found, key) => (isObject(found) ? found[key] : undefined), value);

/** Copy of a value without a field. */
function withoutField(value: unknown, [key = '', ...rest]: FieldPath): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutField(item, rest));
  if (!isObject(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: field, ...others } = value;
  return rest.length === 0 ? others : { ...others, [key]: withoutField(field, rest) };
}
