/** Which versions run, from what was seen: pure. */
import type { KarmadaStatus } from '../api/karmada.ts';
import { formatVersion, parseVersion } from '../api/versions.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { COMPONENT, conditionOf } from './objects.ts';
import type { Snapshot } from './snapshot.ts';

/** Versions of what runs: the server's own word, and the images of the pods that are ready. */
export function runningVersions(
  { controlPlane, host, externalEtcd }: Pick<Snapshot, 'controlPlane' | 'host' | 'externalEtcd'>,
  before: KarmadaStatus,
): NonNullable<KarmadaStatus['versions']> {
  const check = externalEtcd?.check;
  const external = check?.outcome === 'served' ? check.version : undefined;
  const etcd = external ?? imageVersion(host.pods, 'etcd')?.slice(1);
  const seen = {
    karmada: imageVersion(host.pods, 'karmada-controller-manager'),
    kubernetes: controlPlane.kubernetesVersion,
    etcd,
  };
  const known = Object.entries(seen).filter(([, version]) => version !== undefined);
  return { ...before.versions, ...Object.fromEntries(known) };
}

function imageVersion(pods: readonly KubernetesObject[], component: string): string | undefined {
  const versions = pods
    .filter(
      (pod) =>
        pod.metadata.labels?.[COMPONENT] === component &&
        conditionOf(pod, 'Ready')?.status === 'True',
    )
    .map((pod) => {
      const { containers } = pod['spec'] as { containers: readonly { image: string }[] };
      return parseVersion((containers[0]?.image ?? '').replace(/^.*:/, ''));
    })
    .flatMap((version) => (version ? [formatVersion(version)] : []));
  // While a rollout is under way the oldest is what can be relied on.
  return versions.sort()[0];
}
