/** What the record of an etcd notes besides its members: pure. */
import { DATA_VOLUME } from '../../components/etcd/data-volume.ts';
import { peerSchemeOf } from '../../components/etcd/peer-flags.ts';
import { GO_OPERATOR, type EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import { recordedList, recordedScheme } from '../../etcd-cluster/members/peer-tls.ts';
import { specOf, volumeOf } from '../../etcd-cluster/pods/stateful-set.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isFromGo, isSetFromGo } from '../etcd-members/member-facts.ts';

/** Returns the origin, where members still use http, and the PVC template of a recovery. @param live the StatefulSet */
export function notesOf(
  snapshot: Pick<Snapshot, 'karmada' | 'host' | 'etcd'>,
  live: KubernetesObject,
): Pick<EtcdRecord, 'origin' | 'peers' | 'listsHttp' | 'volume'> {
  const { members = [] } = snapshot.etcd ?? {};
  const volume = volumeOf(specOf(live));
  return {
    ...(isSetFromGo(live) && { origin: GO_OPERATOR }),
    ...recordedScheme(peerSchemeOf(live), members),
    ...(isFromGo(snapshot) && recordedList(members)),
    // The record may be lost, and the former PVCs have the default name.
    ...(volume !== DATA_VOLUME && { volume }),
  };
}
