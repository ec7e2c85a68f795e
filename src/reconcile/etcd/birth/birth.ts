/** What is known of the birth of an instance's etcd, and what follows from it: pure. */
import { instanceName, SECRET_SUFFIX } from '../../../api/naming.ts';
import { volumeKind } from '../../../components/etcd/etcd.ts';
import { conditionOf, type KubernetesObject } from '../../../kubernetes/object.ts';
import type { Hold } from '../../hold.ts';
import { COMPONENT } from '../../../api/labels.ts';
import type { Snapshot } from '../../snapshot.ts';
import { isClaimOf } from '../claims.ts';
import { membershipIn, membershipOf, isSealed } from '../membership.ts';
import type { Agreement } from './agreement.ts';
import type { BirthDecision, Storage } from './decide.ts';
import type { EtcdBirth } from './etcd-birth.ts';
import { lossOf, type LossInput } from './lost.ts';
import type { EtcdRecord } from './record.ts';
import { isFounding, templateState, type SealInput } from './seal.ts';

/** Storage that a Karmada asks for. */
export function storageOf({ spec }: Pick<Snapshot, 'spec'>): Storage {
  return volumeKind(spec.components.etcd.local?.volumeData ?? {});
}

/** The Secret with the record. */
export function backupIn({
  karmada,
  host,
}: Pick<Snapshot, 'karmada' | 'host'>): KubernetesObject | undefined {
  const name = instanceName(karmada.metadata.name, SECRET_SUFFIX.caBackup);
  return host.objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
}

/** Whether the API server may have acknowledged a write: it was available, or the whole instance was ready. */
export function hasServed({ karmada, host }: Pick<Snapshot, 'karmada' | 'host'>): boolean {
  if (karmada.status?.secretRef !== undefined) return true;
  const server = host.objects.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.[COMPONENT] === 'karmada-apiserver',
  );
  if (server === undefined) return false;
  return (
    conditionOf(server, 'Available')?.status === 'True' ||
    conditionOf(server, 'Progressing')?.reason === 'NewReplicaSetAvailable'
  );
}

/** What follows for a StatefulSet that is there. */
export function birthOfLive(input: SealInput & Pick<LossInput, 'claims'>): EtcdBirth {
  const { live, record, agreement } = input;
  const problem = lossOf(input);
  const state = templateState(input);
  const kept = isSealed(live) ? 'existing' : 'new';
  const awaited = awaitsAPIServer({ isSealed: isSealed(live), record, agreement });
  return {
    membership: membershipIn(live, state === 'keep' ? kept : state),
    ...(state === 'keep' && { isKept: true }),
    ...(isFounding(input) && { isFounding: true }),
    ...(awaited !== undefined && { awaited }),
    ...(problem && { problem }),
  };
}

/**
 * What the first API server waits for: nobody may write before a member without data can no longer found a cluster, and
 * before all are one cluster.
 */
export function awaitsAPIServer({
  isSealed,
  record,
  agreement,
}: Pick<SealInput, 'record' | 'agreement'> & { readonly isSealed: boolean }): string | undefined {
  if (agreement.kind === 'split') return 'the members of etcd to be one cluster';
  if (record?.state === 'unborn' && !isSealed) return 'the pods of etcd';
  // Claims of an earlier release have no stamp: their members say whether they belong together.
  if (record === undefined && isSealed && UNPROVEN.has(agreement.kind))
    return 'the members of etcd to say that they are one cluster';
  return undefined;
}

const UNPROVEN: ReadonlySet<Agreement['kind']> = new Set(['pending', 'unknown']);

/** What follows from a decision about an etcd without a StatefulSet. @param token of the cluster */
export function birthOfDecision(
  decision: BirthDecision,
  token: string | undefined,
  replicas: number,
): EtcdBirth {
  const awaited = 'the StatefulSet of etcd';
  switch (decision.kind) {
    case 'new':
    case 'existing': {
      const { kind, members } = decision;
      const membership = membershipOf(members, kind);
      return { membership: { ...membership, ...(token !== undefined && { token }) }, awaited };
    }
    case 'hold': {
      const { reason, message } = decision;
      const membership = membershipOf(replicas, 'existing');
      const isUnsure = UNSURE.has(reason);
      const hold: Hold = { step: 'etcd', reason, message };
      return { membership, hold, awaited, isKept: true, ...(isUnsure && { isUnsure }) };
    }
    case 'dataLost': {
      const { reason, message } = decision;
      const membership = membershipOf(replicas, 'existing');
      return { membership, problem: { reason, message }, awaited, isKept: true };
    }
  }
}

/** What ends without an event that the operator hears of. */
const UNSURE: ReadonlySet<string> = new Set([
  'EtcdEvidenceUnread',
  'EtcdClaimsTerminating',
  'EtcdPodsLeft',
]);

/** The record of a cluster that was seen to be one; undefined when it is noted already, or was not seen. */
export function bornRecord(
  { record, members, agreement }: Pick<SealInput, 'record' | 'members' | 'agreement'>,
  context: {
    readonly ca: string;
    readonly token: string;
    readonly storage: Storage;
    readonly claims: readonly KubernetesObject[];
  },
): EtcdRecord | undefined {
  if (agreement.kind !== 'agreed' || record?.state === 'born') return undefined;
  const { token, ca, storage, claims } = context;
  const data = holdersOf(members, claims, storage);
  const given = record?.startedEmpty;
  return {
    state: 'born',
    token,
    members: agreement.members,
    clusterID: agreement.clusterID,
    ca,
    ...(data.length === agreement.members && { data }),
    ...(given && { startedEmpty: given }),
  };
}

/** What goes with the data of these members when it is deleted; nothing of data on a node. */
function holdersOf(
  members: readonly KubernetesObject[],
  claims: readonly KubernetesObject[],
  storage: Storage,
): readonly string[] {
  if (storage === 'hostPath') return [];
  const holders =
    storage === 'emptyDir'
      ? members
      : claims.filter((claim) => members.some((pod) => isClaimOf(claim, pod)));
  return holders.flatMap(({ metadata }) => metadata.uid ?? []).sort();
}
