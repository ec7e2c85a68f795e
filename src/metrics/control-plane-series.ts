/** Series of one control plane: pure functions of its Karmada object and of what the operator observed. */
import { failureIn, faultOf } from '../api/reasons/failure.ts';
import type { Condition, Karmada, KarmadaStatus, UpgradeStatus } from '../api/karmada.ts';
import type { MemberClustersStatus } from '../api/member-clusters-status.ts';
import { classOf } from '../api/reasons/fault.ts';
import { databaseSize } from '../etcd/database-size.ts';
import { isAnswer, type EtcdMemberStatus, type EtcdResult } from '../etcd/member-status.ts';
import { hostReference } from '../host-clusters/host-reference.ts';
import type { CertificatesView } from '../instance/snapshot.ts';
import { parseTime } from '../kubernetes/time/time.ts';
import type { FamilyName } from './control-plane-families.ts';

/** One series. `labels` are in the order of the table. */
export interface Series {
  readonly family: FamilyName;
  readonly labels: readonly string[];
  readonly value: number;
}

/** Creates a series. @param labels in the order of the table */
export const series = (family: FamilyName, labels: readonly string[], value: number): Series => ({
  family,
  labels,
  value,
});

/** Unix time in seconds of an RFC 3339 time; no value if it is absent or invalid. */
export function seconds(time: string | undefined): readonly number[] {
  const ms = parseTime(time);
  return Number.isNaN(ms) ? [] : [ms / 1000];
}

/** Series that depend only on the Karmada object. */
export function objectSeries(karmada: Karmada): readonly Series[] {
  const { generation = 0 } = karmada.metadata;
  const { status = {} } = karmada;
  const { conditions = [], phase = 'Pending', upgrade, certificateExpiry } = status;
  const behind = generation - (status.observedGeneration ?? 0);
  return [
    infoSeries(karmada),
    series('phase', [phase], 1),
    ...conditions.flatMap(({ type, status, reason }) =>
      reason.split(',').map((each) => series('condition', [type, status, each], 1)),
    ),
    ...failureSeries(conditions),
    series('unobserved_generations', [], Math.max(0, behind)),
    ...seconds(certificateExpiry).map((value) =>
      series('first_certificate_expiry_timestamp_seconds', [], value),
    ),
    ...rotationSeries(status.certificateRotation),
    ...upgradeSeries(upgrade),
    ...memberClusterSeries(status.memberClusters),
    ...etcdSeries(status.etcdCluster),
  ];
}

function failureSeries(conditions: readonly Condition[]): readonly Series[] {
  const { reason = '' } = failureIn(conditions) ?? {};
  const fault = faultOf(reason);
  const blamed = fault && classOf(fault);
  return blamed === undefined ? [] : [series('failure', [blamed, fault ?? '', reason], 1)];
}

function infoSeries({ spec, status }: Karmada): Series {
  const { karmada = '', kubernetes = '', etcd = '' } = status?.versions ?? {};
  const isRemote = hostReference({ spec }) !== undefined;
  return series('info', [karmada, kubernetes, etcd, isRemote ? 'remote' : 'local'], 1);
}

function rotationSeries(rotation: KarmadaStatus['certificateRotation']): readonly Series[] {
  return (rotation?.authorities ?? []).flatMap(({ authority = '', phase = '', ...one }) => [
    ...seconds(one.since).map((value) =>
      series('rotation_phase_start_timestamp_seconds', [authority, phase], value),
    ),
    series('rotation_waits_for', [authority, phase], one.waitingFor?.count ?? 0),
  ]);
}

function upgradeSeries(upgrade: UpgradeStatus | undefined): readonly Series[] {
  if (upgrade === undefined) return [];
  const { from, to, step = '', phase = 'Progressing', startedAt } = upgrade;
  const labels = [from?.karmada ?? '', to?.karmada ?? '', step, phase];
  return [
    series('upgrade', labels, 1),
    ...seconds(startedAt).map((value) => series('upgrade_step_start_timestamp_seconds', [], value)),
  ];
}

function memberClusterSeries(members: MemberClustersStatus | undefined): readonly Series[] {
  if (members === undefined) return [];
  const { total, ready } = members;
  return [
    series('member_clusters', ['Ready'], ready),
    series('member_clusters', ['NotReady'], total - ready),
  ];
}

type EtcdCluster = NonNullable<Karmada['status']>['etcdCluster'];

function etcdSeries(cluster: EtcdCluster): readonly Series[] {
  if (cluster === undefined) return [];
  const { quorum, leader, members } = cluster;
  const count = (role: string): number => members.filter((one) => one.role === role).length;
  const named = members.map((member) => ({ ...member, label: member.name || member.id }));
  return [
    ...(quorum === 'Unknown'
      ? []
      : [
          series('etcd_quorum', [], Number(quorum === 'True')),
          series('etcd_has_leader', [], Number(leader !== '')),
        ]),
    ...['Voter', 'Learner'].map((role) => series('etcd_members', [role], count(role))),
    ...named.map(({ label, message }) =>
      series('etcd_member_up', [label], Number(message === undefined)),
    ),
    ...named.flatMap(({ label, alarms = [] }) =>
      alarms.map((alarm) => series('etcd_alarm', [label, alarm], 1)),
    ),
  ];
}

/** Series of the certificates. */
export const certificateSeries = ({ expiries }: CertificatesView): readonly Series[] =>
  expiries.map(({ name, notAfter }) =>
    series('certificate_expiry_timestamp_seconds', [name], notAfter / 1000),
  );

/** Series of the changes that the last reconcile blocked. @param reasons one per change */
export function blockedSeries(reasons: readonly string[]): readonly Series[] {
  const count = (reason: string): number => reasons.filter((one) => one === reason).length;
  return [...new Set(reasons)].map((reason) => series('blocked_changes', [reason], count(reason)));
}

/** Sizes of the databases of the etcd members that responded last. */
export function databaseSeries(results: readonly EtcdResult[]): readonly Series[] {
  return results.filter(isAnswer).flatMap((answer: EtcdMemberStatus) => {
    const { size, free, quota } = databaseSize(answer);
    return [
      series('etcd_database_bytes', [answer.pod], Number(size)),
      series('etcd_database_in_use_bytes', [answer.pod], Number(size - free)),
      series('etcd_quota_bytes', [answer.pod], Number(quota)),
    ];
  });
}
