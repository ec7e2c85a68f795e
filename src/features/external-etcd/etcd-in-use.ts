/** The etcd that the API server of a control plane uses, from its Deployment: pure. */
import { COMPONENT } from '../../api/labels.ts';
import type { Karmada } from '../../api/karmada.ts';
import { isWorkload } from '../../components/workload.ts';
import { keyPrefix } from '../../external-etcd/prefix-conflict.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';

/** Deployment of karmada-apiserver; undefined if there is none. */
export const apiServerIn = (objects: readonly KubernetesObject[]): KubernetesObject | undefined =>
  objects.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.[COMPONENT] === 'karmada-apiserver',
  );

/** Whether the API server uses the endpoints and the key prefix of the spec. False without an API server. */
export function usesEtcdOf(
  { spec }: Pick<Karmada, 'spec'>,
  objects: readonly KubernetesObject[],
): boolean {
  const { etcd, karmadaAPIServer } = spec?.components ?? {};
  const prefix = keyPrefix(karmadaAPIServer?.extraArgs?.['etcd-prefix']);
  const flags = flagsIn(apiServerIn(objects));
  return (
    flags.get('etcd-servers') === (etcd?.external?.endpoints ?? []).join(',') &&
    keyPrefix(flags.get('etcd-prefix')) === prefix
  );
}

/** Flags of the first container, by name. */
function flagsIn(workload: KubernetesObject | undefined): ReadonlyMap<string, string> {
  if (workload === undefined || !isWorkload(workload)) return new Map();
  const [main] = workload.spec.template.spec.containers;
  const flags = (main?.command ?? []).map((text) => /^--([^=]+)=(.*)$/s.exec(text));
  return new Map(flags.flatMap((found) => (found ? [[found[1] ?? '', found[2] ?? '']] : [])));
}
