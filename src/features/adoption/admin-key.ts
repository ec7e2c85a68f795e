/** Use of the key `karmada.key` by the Pods of the Go operator: pure. */
import { COMPONENT } from '../../api/labels.ts';
import type { ComponentName } from '../../api/component-catalog.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isRolledOut, REVISION } from '../../components/rollout.ts';

/**
 * Components of the Go operator that would not work with a reissued pair `karmada`: two sign or verify ServiceAccount
 * tokens with its key, the others serve with its certificate.
 */
const USERS: ReadonlySet<string> = new Set<ComponentName>([
  'karmada-apiserver',
  'kube-controller-manager',
  'karmada-aggregated-apiserver',
  'karmada-metrics-adapter',
  'karmada-search',
]);

/**
 * Whether a Pod of the Go operator may still use the pair `karmada`.
 * @param objects objects of the control plane in the host cluster
 */
export function usesAdminKey(objects: readonly KubernetesObject[]): boolean {
  const deployments = objects.filter(
    ({ kind, metadata }) => kind === 'Deployment' && USERS.has(metadata.labels?.[COMPONENT] ?? ''),
  );
  const unapplied = (object: KubernetesObject): boolean =>
    object.metadata.annotations?.[APPLIED_HASH] === undefined;
  if (deployments.some(unapplied)) return true;
  return deployments.some((object) => isFirstUpdate(object) && !isRolledOut(object));
}

/** Whether Pods of the Go operator may be left: those of this operator are at least the second revision. */
const isFirstUpdate = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[REVISION] !== '1';
