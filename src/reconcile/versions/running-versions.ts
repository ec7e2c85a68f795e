/** Which versions run, from what was seen: pure. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import { formatVersion, parseVersion } from '../../api/versions.ts';
import { conditionOf, type KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import { isRolledOut } from '../rollout.ts';
import type { Snapshot } from '../snapshot.ts';

/** Versions of what runs: the server's own word, and the images of the pods that are ready. */
export function runningVersions(
  { controlPlane, host, externalEtcd }: Pick<Snapshot, 'controlPlane' | 'host' | 'externalEtcd'>,
  before: KarmadaStatus,
): NonNullable<KarmadaStatus['versions']> {
  const check = externalEtcd?.check;
  const external = check?.outcome === 'served' ? check.version : undefined;
  const seen = {
    karmada: versionOf(host, 'karmada-controller-manager'),
    kubernetes: controlPlane.kubernetesVersion,
    etcd: external ?? versionOf(host, 'etcd')?.slice(1),
  };
  const known = Object.entries(seen).filter(([, version]) => version !== undefined);
  return { ...before.versions, ...Object.fromEntries(known) };
}

/**
 * Pods and workloads are watched apart: a Deployment may be seen to have what it wants before the last of its pods is
 * seen to be ready.
 */
function versionOf(host: Snapshot['host'], component: string): string | undefined {
  const isOfComponent = ({ metadata }: KubernetesObject): boolean =>
    metadata.labels?.[COMPONENT] === component;
  const ready = host.pods.filter(
    (pod) => isOfComponent(pod) && conditionOf(pod, 'Ready')?.status === 'True',
  );
  const rolledOut = host.objects.filter((object) => isOfComponent(object) && isRolledOut(object));
  return (
    oldestOf(ready.map((pod) => pod['spec'] as PodSpec)) ??
    oldestOf(rolledOut.map(({ spec }) => (spec as { template: { spec: PodSpec } }).template.spec))
  );
}

interface PodSpec {
  readonly containers: readonly { readonly image: string }[];
}

/** Tag of an image that may name a digest behind it, as `registry:5000/name:tag@sha256:…`. */
const tagOf = (image: string): string => image.replace(/@.*$/, '').replace(/^.*:/, '');

/** While a rollout is under way the oldest is what can be relied on. */
function oldestOf(specs: readonly PodSpec[]): string | undefined {
  const versions = specs
    .map(({ containers }) => parseVersion(tagOf(containers[0]?.image ?? '')))
    .flatMap((version) => (version ? [formatVersion(version)] : []));
  return versions.sort()[0];
}
