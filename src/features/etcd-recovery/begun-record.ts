/** The record with which a recovery begins: pure apart from the random token. */
import { instanceName } from '../../api/naming.ts';
import { DATA_VOLUME, nextVolume } from '../../components/etcd/data-volume.ts';
import {
  GO_OPERATOR,
  newClusterToken,
  recordIn,
  type EtcdRecord,
} from '../../etcd-cluster/identity/record.ts';
import { tokenIn } from '../../etcd-cluster/pods/membership.ts';
import { confirmedBackup } from '../../etcd-cluster/recovery/confirmed-backup.ts';
import { confirmedMember } from '../../etcd-cluster/recovery/confirmed-member.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Random } from '../../kubernetes/time/clock.ts';
import { clientsIn, recordOf, type RecoveryObjects } from './read-facts.ts';

interface Begin {
  readonly snapshot: Pick<Snapshot, 'karmada' | 'certificates'>;
  readonly objects: Pick<RecoveryObjects, 'backup' | 'statefulSet' | 'pods'>;
}

/**
 * Returns the record of the former cluster with the recovery.
 * @param from value of the annotation
 * @returns undefined if the former cluster is unknown
 */
export function begunRecord(
  { random }: { readonly random: Random },
  { objects, snapshot }: Begin,
  from: string,
): EtcdRecord | undefined {
  const known = recordOf(objects.backup);
  const record = known ?? recordOfGo(snapshot, objects, from);
  if (record === undefined) return undefined;
  const { name, namespace = '' } = snapshot.karmada.metadata;
  const token = newClusterToken(instanceName(name, 'etcd'), namespace, random);
  const volume = nextVolume(record.volume ?? DATA_VOLUME);
  const clients = clientsIn(objects.pods).map(({ metadata: { uid = '' } }) => uid);
  const phase =
    confirmedBackup(from) === undefined
      ? ({ phase: 'restoring', clients } as const)
      : ({ phase: 'loading' } as const);
  const isUnrecorded = known === undefined ? ({ isUnrecorded: true } as const) : {};
  return { ...record, recovery: { from, token, volume, ...phase, ...isUnrecorded } };
}

/** Record of the cluster of one member, among members of the Go operator that never formed one cluster. */
function recordOfGo(
  { certificates }: Begin['snapshot'],
  { statefulSet, backup }: Omit<Begin['objects'], 'pods'>,
  from: string,
): EtcdRecord | undefined {
  const isUnreadable = recordIn(backup?.metadata.annotations) !== undefined;
  const member = confirmedMember(from);
  const view = certificates.state === 'valid' ? certificates.view : certificates.last;
  const [ca] = view?.etcdAuthorities ?? [];
  if (isUnreadable || member === undefined || ca === undefined) return undefined;
  const token = statefulSet && tokenIn(statefulSet);
  if (token === undefined) return undefined;
  const { clusterID } = member;
  return { state: 'born', origin: GO_OPERATOR, token, members: 1, clusterID, ca };
}
