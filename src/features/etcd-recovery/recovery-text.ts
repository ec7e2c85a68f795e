/** What the status says about the recovery of an etcd: pure. */
import type { Problem } from '../../api/reasons/problem.ts';
import { when, type Warning } from '../../api/warnings/warning.ts';
import { OLDEST_ANSWER_MS } from '../../etcd/view.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { KEPT_LABEL } from './read-facts.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import type { StoredData } from '../../etcd-cluster/recovery/stored-data.ts';
import { valueFor, type ConfirmedMember } from '../../etcd-cluster/recovery/confirmed-member.ts';
import { RECOVER_ANNOTATION, type Survivor } from '../../etcd-cluster/recovery/survivors.ts';

const MINUTE_MS = 60_000;
const MEBIBYTE = 1_048_576n;

/**
 * Describes the data of the members that respond, and the command that recovers etcd from the newest one. The text changes
 * only with the data: the age of a response is a bound, since responses are repeated all the time.
 * If none responds, names the members whose PVCs have data.
 * @param isLost whether the other members are known to have lost their data
 * @returns undefined if no data is known
 */
export function recoveryText(
  { survivors = [], stored = [] }: Pick<EtcdBootstrap, 'survivors' | 'stored'>,
  karmada: { readonly name: string; readonly namespace: string },
  isLost: boolean,
): string | undefined {
  const [newest] = survivors;
  const ways = isLost
    ? 'restore the volumes of the lost members, or'
    : 'start the other members; only if they are permanently lost,';
  if (newest === undefined) return storedText(stored, karmada, ways);
  const minutes = String(OLDEST_ANSWER_MS / MINUTE_MS);
  const listed = survivors.map(dataOf).join('; ');
  return `members that respond: ${listed} (read in the last ${minutes} minutes); ${ways} recover from this data, which gives up what only the lost members have: ${commandFor(newest, karmada)}`;
}

/** A member that has restarted without a quorum responds to nothing. */
function storedText(
  stored: readonly StoredData[],
  karmada: { readonly name: string; readonly namespace: string },
  ways: string,
): string | undefined {
  const [first] = stored;
  if (first === undefined) return undefined;
  const names = stored.map(({ pod }) => pod).join(', ');
  return `no member responds; PersistentVolumeClaims with data of cluster ${first.clusterID}: ${names}; ${ways} recover from the volume of one of them, which gives up what only the others have: ${commandFor(first, karmada)}`;
}

const commandFor = (
  member: ConfirmedMember,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): string =>
  `kubectl -n ${namespace} annotate --overwrite karmada ${name} ${RECOVER_ANNOTATION}=${valueFor(member)}`;

const dataOf = ({ pod, clusterID, memberID, revision, raftIndex, dbSize }: Survivor): string =>
  `${pod} (cluster ${clusterID}, member ${memberID}, revision ${revision}, raft index ${raftIndex}, ${sizeOf(dbSize)})`;

/** Rounds up to MiB. */
const sizeOf = (bytes: string): string =>
  `${String((BigInt(bytes) + MEBIBYTE - 1n) / MEBIBYTE)} MiB`;

/** Problem of a refused annotation while etcd has no quorum. */
export function refusalProblem({
  etcdBootstrap,
  etcd,
}: Pick<Snapshot, 'etcdBootstrap' | 'etcd'>): Problem | undefined {
  const refusal = etcdBootstrap?.refusal;
  if (refusal === undefined || etcd?.quorum === true) return undefined;
  return { reason: 'EtcdRecoveryRefused', message: refusedText(refusal) };
}

const refusedText = (refusal: string): string =>
  `etcd: nothing is recovered, because of the annotation ${RECOVER_ANNOTATION} of the Karmada: ${refusal}`;

/** Warnings about an annotation without effect, and about PVCs that a recovery keeps. */
export function recoveryWarnings({
  etcdBootstrap,
  etcd,
  host,
}: Pick<Snapshot, 'etcdBootstrap' | 'etcd' | 'host'>): readonly Warning[] {
  const refusal = etcd?.quorum === true ? etcdBootstrap?.refusal : undefined;
  const kept = (host.keptClaims ?? []).filter(
    ({ metadata }) => metadata.labels?.[KEPT_LABEL] !== undefined,
  );
  const names = kept.map(({ metadata }) => metadata.name).sort();
  return [
    ...when(refusal !== undefined, 'EtcdRecoveryRefused', `${refusedText(refusal ?? '')}.`),
    ...when(
      kept.length > 0,
      'EtcdVolumesKept',
      `PersistentVolumeClaim ${names.join(', ')}: kept with the data of a former etcd cluster since a recovery; see "Recover from one member" in docs/operate/backup-restore.md for what to do with it.`,
    ),
  ];
}
