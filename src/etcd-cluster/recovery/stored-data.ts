/**
 * Data of etcd members that do not respond: pure. A member that restarts without a quorum runs, but serves no request
 * until its cluster has a leader. Its database can still be read from its PVC.
 */
import { DATA_VOLUME } from '../../components/etcd/data-volume.ts';
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import { isTerminating } from '../../kubernetes/objects/object.ts';
import { claimAnnotationIn, type EtcdRecord } from '../identity/record.ts';
import { claimVolume } from '../storage/persistent-volume-claims.ts';

/** A member whose PVC has data of the recorded cluster. */
export interface StoredData {
  /** Name of its Pod. */
  readonly pod: string;
  /** Hexadecimal. */
  readonly clusterID: string;
}

/**
 * Returns the members whose PVCs have data of the recorded cluster, by ordinal.
 * @param name `metadata.name` of the Karmada
 * @param claims PVCs of the namespace
 */
export function storedData(
  name: string,
  record: EtcdRecord | undefined,
  claims: readonly PersistentVolumeClaim[],
): readonly StoredData[] {
  if (record?.state !== 'born') return [];
  const { clusterID, volume = DATA_VOLUME } = record;
  const found = claims.flatMap((claim): (StoredData & { readonly ordinal: number })[] => {
    const { name: claimed, annotations } = claim.metadata;
    const stamp = claimAnnotationIn(annotations);
    if (claimVolume(name, claimed) !== volume || isTerminating(claim)) return [];
    if (typeof stamp !== 'object' || stamp.clusterID !== clusterID) return [];
    const pod = claimed.slice(`${volume}-`.length);
    return [{ pod, clusterID, ordinal: Number(/(?<!\d)\d+$/.exec(pod)?.[0]) }];
  });
  return found
    .toSorted((one, other) => one.ordinal - other.ordinal)
    .map(({ pod, clusterID: id }) => ({ pod, clusterID: id }));
}
