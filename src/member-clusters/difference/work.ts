/** Works of a control plane: what Karmada writes into a member cluster. Pure functions. */
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isObject } from '../../kubernetes/objects/compare.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { namespacedType, type ResourceType } from '../../kubernetes/objects/resources.ts';

/** Type of the Works in a control plane. */
export const works: ResourceType = namespacedType('work.karmada.io/v1alpha1', 'Work', 'works');

/** Label of all objects that Karmada writes into a member cluster. */
const MANAGED_LABEL = 'karmada.io/managed';
/** Selects these objects. */
export const MANAGED_SELECTOR = `${MANAGED_LABEL}=true`;
/** Annotation of these objects: the namespace of their Work, which names the member cluster. */
const WORK_NAMESPACE = 'work.karmada.io/namespace';
const CONFLICT_RESOLUTION = 'work.karmada.io/conflict-resolution';

/** Namespace of the Works of a member cluster. */
export const workNamespace = (cluster: string): string => `karmada-es-${cluster}`;

/**
 * What Karmada does with the object of a manifest: write it, delete it, release it (keep the object, without the labels of Karmada), or
 * nothing while the Work is suspended.
 */
type WorkAction = 'apply' | 'delete' | 'release' | 'suspended';

/** Object of a Work. */
export interface WorkManifest {
  /** Name of the Work. */
  readonly work: string;
  readonly object: KubernetesObject;
  readonly action: WorkAction;
}

/** Returns the objects of a Work. Karmada cannot apply a manifest without kind or name; it is left out. */
export function manifestsOf(work: KubernetesObject): readonly WorkManifest[] {
  const spec = fieldsOf(work['spec']);
  const { manifests } = fieldsOf(spec['workload']);
  const action = actionOf(work, spec);
  return (Array.isArray(manifests) ? manifests : []).flatMap((object: unknown) =>
    isManifest(object) ? [{ work: work.metadata.name, object, action }] : [],
  );
}

function actionOf(work: KubernetesObject, spec: ReturnType<typeof fieldsOf>): WorkAction {
  const { preserveResourcesOnDeletion, suspendDispatching } = spec;
  if (isTerminating(work)) return preserveResourcesOnDeletion === true ? 'release' : 'delete';
  return suspendDispatching === true ? 'suspended' : 'apply';
}

function isManifest(value: unknown): value is KubernetesObject {
  if (!isObject(value) || !isObject(value['metadata'])) return false;
  const { name, namespace } = value['metadata'];
  const isNamespace = namespace === undefined || typeof namespace === 'string';
  return [value['apiVersion'], value['kind'], name].every(isText) && isNamespace;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Whether Karmada has written an object of a member cluster, and may therefore change or delete it. */
export const isManaged = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.[MANAGED_LABEL] === 'true';

/** Whether Karmada replaces an object of a member cluster that it has not written. */
export const overwrites = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[CONFLICT_RESOLUTION] === 'overwrite';

/**
 * Whether a Work of this control plane has written an object of a member cluster. Controllers copy the label to Endpoints, and the
 * annotation to ReplicaSets, but not both; objects that a controller made from a written one do not count.
 */
export function isWrittenFor(cluster: string, object: KubernetesObject): boolean {
  const { annotations = {}, ownerReferences = [] } = object.metadata;
  const isControlled = ownerReferences.some(({ controller }) => controller === true);
  return (
    isManaged(object) && annotations[WORK_NAMESPACE] === workNamespace(cluster) && !isControlled
  );
}
