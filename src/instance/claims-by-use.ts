/** Separates the etcd PVCs that are in use from those that a recovery keeps: pure. */
import { instanceName, SECRET_SUFFIX } from '../api/naming.ts';
import { DATA_VOLUME } from '../components/etcd/data-volume.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { HostSnapshot } from './snapshot.ts';
import { recordIn } from '../etcd-cluster/identity/record.ts';
import { claimsInUse } from '../etcd-cluster/storage/persistent-volume-claims.ts';
import { specOf, volumeOf } from '../etcd-cluster/pods/stateful-set.ts';

/** @param name `metadata.name` of the Karmada */
export function claimsByUse(
  name: string,
  objects: readonly KubernetesObject[],
  all: readonly KubernetesObject[],
): Pick<HostSnapshot, 'claims' | 'keptClaims'> {
  const claims = claimsInUse(all, name, volumeInUse(name, objects));
  const used = new Set(claims);
  const keptClaims = all.filter((claim) => !used.has(claim));
  return { claims, ...(keptClaims.length > 0 && { keptClaims }) };
}

/** Name of the PVC template of the live StatefulSet, else of the record. */
function volumeInUse(name: string, objects: readonly KubernetesObject[]): string {
  const live = objects.find(
    ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === instanceName(name, 'etcd'),
  );
  if (live !== undefined) return volumeOf(specOf(live));
  const backup = objects.find(
    ({ kind, metadata }) =>
      kind === 'Secret' && metadata.name === instanceName(name, SECRET_SUFFIX.caBackup),
  );
  const record = recordIn(backup?.metadata.annotations);
  return (typeof record === 'object' ? record.volume : undefined) ?? DATA_VOLUME;
}
