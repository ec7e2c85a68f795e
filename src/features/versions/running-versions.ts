/** Determines the running versions for the status. Pure functions. */
import type { Replicated } from '../../kubernetes/objects/kinds.ts';
import type { PodSpec } from '../../kubernetes/objects/pod-kinds.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { compareVersions, formatVersion, parseVersion } from '../../api/versions/versions.ts';
import { conditionOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import { isRolledOut } from '../../components/rollout.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Returns the running versions: as karmada-apiserver and an external etcd report them, else from ready Pods. */
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
 * Version of a component from its ready Pods, else from a completed rollout. Pods and workloads have separate watches,
 * so the cache may show a complete Deployment before it shows the last Pod as ready.
 */
function versionOf(host: Snapshot['host'], component: string): string | undefined {
  const isOfComponent = ({ metadata }: KubernetesObject): boolean =>
    metadata.labels?.[COMPONENT] === component;
  const ready = host.pods.filter(
    (pod) => isOfComponent(pod) && conditionOf(pod, 'Ready')?.status === 'True',
  );
  const workloads: readonly Replicated[] = host.objects;
  const rolledOut = workloads.filter((object) => isOfComponent(object) && isRolledOut(object));
  return (
    oldestOf(ready.map((pod) => pod.spec)) ??
    oldestOf(rolledOut.map(({ spec }) => spec?.template?.spec))
  );
}

/** Tag of an image that may have a digest, such as `registry:5000/name:tag@sha256:…`. */
const tagOf = (image: string): string => {
  const [named = ''] = image.split('@', 1);
  return named.slice(named.lastIndexOf(':') + 1);
};

/** The oldest version: during a rollout every Pod has at least this one. */
function oldestOf(specs: readonly (PodSpec | undefined)[]): string | undefined {
  const [oldest] = specs
    .map((spec) => parseVersion(tagOf(spec?.containers?.[0]?.image ?? '')))
    .filter((version) => version !== undefined)
    .sort(compareVersions);
  return oldest && formatVersion(oldest);
}
