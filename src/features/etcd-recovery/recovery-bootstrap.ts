/** What a recovery changes in the decision about an existing etcd: pure. */
import type { EtcdView } from '../../etcd/view.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import type { EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import { awaitsFirstQuery } from '../../etcd-cluster/pods/etcd-pods.ts';
import { membershipOf, tokenIn } from '../../etcd-cluster/pods/membership.ts';
import { presentOf } from './read-facts.ts';
import { requestedRecovery } from '../../etcd-cluster/recovery/request.ts';
import { hasLeader, refusalOf, survivorsOf } from '../../etcd-cluster/recovery/survivors.ts';
import { storedData } from '../../etcd-cluster/recovery/stored-data.ts';
import { without } from '../../etcd-cluster/recovery/without.ts';

type Subject = Pick<
  Snapshot,
  'karmada' | 'spec' | 'host' | 'etcd' | 'missingRights' | 'tenantPods' | 'podSecurity'
>;

interface Known {
  readonly live: KubernetesObject;
  readonly record: EtcdRecord | undefined;
}

/** Adds the recovery to the decision about a live StatefulSet. */
export function withRecovery(
  bootstrap: EtcdBootstrap,
  subject: Subject,
  { live, record }: Known,
): EtcdBootstrap {
  if (record?.recovery === undefined) return withRequest(bootstrap, subject, { live, record });
  const rest = without(bootstrap, 'problem');
  const { from, phase, token, volume } = record.recovery;
  const recovery = { phase, from };
  if (tokenIn(live) === token) return { ...rest, recovery };
  const membership = { ...membershipOf(1, 'existing'), token, volume };
  const kept = { ...rest, membership, isKept: true, recovery } as const;
  return phase === 'loading' ? kept : { ...kept, awaited: 'the recovery of etcd' };
}

/**
 * Reports the members that respond without a quorum, and the annotation that names one of them. Before the first query of a
 * ready Pod nothing shows whether its member responds.
 */
function withRequest(
  bootstrap: EtcdBootstrap,
  subject: Subject,
  { live, record }: Known,
): EtcdBootstrap {
  const { etcd: view } = subject;
  if (view === undefined || awaitsFirstQuery(subject.host.pods, view)) return bootstrap;
  const request = requestOf(subject, { live, record }, view);
  if (record?.state !== 'born') return { ...bootstrap, ...request };
  return { ...bootstrap, ...dataWithoutQuorum(subject, record, view), ...request };
}

/** Data of the members that respond without a leader, otherwise that of the PVCs. */
function dataWithoutQuorum(
  { karmada, host }: Subject,
  record: EtcdRecord,
  view: EtcdView,
): Pick<EtcdBootstrap, 'survivors' | 'stored'> {
  if (view.quorum || hasLeader(view)) return {};
  const survivors = survivorsOf(view);
  if (survivors.length > 0) return { survivors };
  const stored = storedData(karmada.metadata.name, record, host.claims);
  return stored.length > 0 ? { stored } : {};
}

/** Without a record only an etcd of the Go operator can be replaced. */
function requestOf(
  subject: Subject,
  { live, record }: Known,
  view: EtcdView,
): Pick<EtcdBootstrap, 'recovery' | 'refusal'> {
  const { pods, claims } = subject.host;
  const { annotations } = subject.karmada.metadata;
  const from = requestedRecovery({ annotations, record, view, claims });
  if (from === undefined) return {};
  const objects = { pods, view, claims, statefulSet: live };
  const present = presentOf(subject, objects, { record, from });
  if (record?.state !== 'born' && present.replaced === undefined) return {};
  const refusal = refusalOf(from, present);
  return refusal === undefined ? { recovery: { phase: 'requested', from } } : { refusal };
}

/**
 * Adds the recovery to the decision about an absent StatefulSet. Until all Pods of the former cluster have ended, the new
 * one is not created: Services select the Pods of both.
 */
export function afterRecovery(
  bootstrap: EtcdBootstrap,
  record: EtcdRecord | undefined,
  pods: readonly { readonly name: string }[],
): EtcdBootstrap {
  if (record?.recovery === undefined) return bootstrap;
  const { from, phase } = record.recovery;
  const known: EtcdBootstrap = { ...bootstrap, recovery: { phase, from } };
  if (phase !== 'switching' || pods.length === 0 || bootstrap.blockedChange !== undefined)
    return known;
  const names = pods.map(({ name }) => name).join(', ');
  const message = `Pod ${names}: belongs to the former etcd cluster; the operator creates the new one when it has ended; if its node is lost, force its deletion as docs/operate/backup-restore.md describes`;
  const blockedChange = { step: 'etcd', reason: 'EtcdPodsLeft', message } as const;
  return { ...known, blockedChange, isKept: true, isUnsure: true };
}
