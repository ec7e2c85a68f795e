/** What the record of an etcd notes besides its members: pure. */
import { peerSchemeOf } from '../../components/etcd/peer-flags.ts';
import { GO_OPERATOR, type EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import { recordedList, recordedScheme } from '../../etcd-cluster/members/peer-tls.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isFromGo, isSetFromGo } from '../etcd-members/member-facts.ts';

/** Returns the origin, and where members still use http. @param live the StatefulSet */
export function notesOf(
  snapshot: Pick<Snapshot, 'karmada' | 'host' | 'etcd'>,
  live: KubernetesObject,
): Pick<EtcdRecord, 'origin' | 'peers' | 'listsHttp'> {
  const { members = [] } = snapshot.etcd ?? {};
  return {
    ...(isSetFromGo(live) && { origin: GO_OPERATOR }),
    ...recordedScheme(peerSchemeOf(live), members),
    ...(isFromGo(snapshot) && recordedList(members)),
  };
}
