/** Warning about members that accept unencrypted connections of other members: pure. */
import type { Warning } from '../../api/warnings/warning.ts';
import { peerSchemeOf } from '../../components/etcd/peer-flags.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { nameOf } from '../../kubernetes/objects/object.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { keepsData } from './read-facts.ts';

export function peerWarnings(snapshot: Snapshot): readonly Warning[] {
  const statefulSet = etcdWorkload(snapshot);
  if (statefulSet === undefined || peerSchemeOf(statefulSet) !== 'http') return [];
  if (keepsData(snapshot)) return [];
  const message = `${nameOf(statefulSet)}: etcd accepts other members over http, because a restart would lose the data in its emptyDir; set spec.components.etcd.local.replicas to 3: then the operator moves all members to https.`;
  return [{ reason: 'EtcdPeersWithoutTLS', message }];
}
