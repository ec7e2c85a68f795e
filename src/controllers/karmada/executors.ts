/** Creates the executors of all actions for one Karmada. */
import type { SecretPolicy } from '../../api/secret-grant.ts';
import type { ExternalEtcds } from '../../external-etcd/external-etcds.ts';
import type { Clock, Random } from '../../kubernetes/clock.ts';
import type { EventRecorder } from '../../kubernetes/events.ts';
import { pruneObject } from '../../kubernetes/prune.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import type { Executors } from '../../actions/execute-actions.ts';
import { adoptObject } from '../../features/adoption/adopt-object.ts';
import { recordFailedChange, recordReadySpec } from '../../features/rollback/write-record.ts';
import { createUpgradeBackup } from '../../features/upgrade-backup/create-backup.ts';
import { applyObject, removeObject } from '../../features/components/apply-object.ts';
import { ensureInstanceCertificates } from '../../features/certificates/certificates.ts';
import { annotateClaim } from '../../features/etcd-bootstrap/annotate-claim.ts';
import { recordEtcd } from '../../features/etcd-bootstrap/record-etcd.ts';
import { syncClientSecretCopy } from '../../features/external-etcd/client-secret-copy.ts';
import {
  askMemberOf,
  askMembersOf,
  memberTargets,
  type EtcdMemberTools,
} from '../../features/etcd-members/etcd-members.ts';
import { replacesMembers } from '../../features/etcd-members/read-facts.ts';
import { changeMembers, type EtcdChangeTools } from '../../features/etcd-members/change-members.ts';
import { recoverEtcd, type RecoverTools } from '../../features/etcd-recovery/recover-etcd.ts';
import { growStorage } from '../../features/etcd-bootstrap/grow-storage.ts';
import { startUpkeep } from '../../features/etcd-upkeep/run-upkeep.ts';
import { excludeMember } from '../../features/etcd-members/exclude-member.ts';
import { replaceStorage } from '../../features/etcd-storage/replace-storage.ts';
import { restartMember } from '../../features/etcd-members/restart-member.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { syncMembers, type MemberTools } from '../../features/member-access/members.ts';
import { isOurs } from '../../api/labels.ts';
import type { ReconcileRecord } from '../../actions/reconcile-record.ts';
import { recordedExecutors } from '../../actions/recorded-executors.ts';
import { copyPullSecret } from '../../features/remote-host/pull-secrets.ts';
import { copyKubeconfig, createNamespace } from '../../features/remote-host/remote-host.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

export interface ExecutorTools extends MemberTools, EtcdMemberTools {
  readonly host: Host;
  readonly local: Pick<ManagementCluster, 'client' | 'applier'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: KeyGenerator;
  readonly secretPolicy: SecretPolicy;
  readonly etcds: Pick<ExternalEtcds, 'again'>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Image of the operator; undefined if the operator does not know it. */
  readonly backupImage?: string | undefined;
  /** Receives failures and repairs, for metrics. */
  readonly record?: ReconcileRecord;
}

type EtcdKind =
  | 'recordEtcd'
  | 'annotateClaim'
  | 'abandonEtcd'
  | 'restartEtcdMember'
  | 'changeEtcdMembers'
  | 'maintainEtcd'
  | 'excludeEtcdMember'
  | 'growEtcdStorage'
  | 'replaceEtcdStorage';

/**
 * Creates the executors of one reconcile.
 * @param snapshot the snapshot that the actions are based on
 */
export function executorsFor(
  tools: ExecutorTools,
  instance: InstanceCache,
  snapshot: Snapshot,
): Executors {
  const { host, local, etcds } = tools;
  const { karmada } = snapshot;
  const { name } = karmada.metadata;
  const objects = { instance, name, host, controlPlane: instance.controlPlane };
  const again = (): void => etcds.again(instance.key);
  const executors: Executors = {
    apply: (action) => applyObject(objects, action),
    remove: (action) => removeObject(objects, action),
    adoptObject: (action) => adoptObject(tools, action),
    createNamespace: (action) => createNamespace(host, action),
    copyPullSecret: (action) => copyPullSecret(tools, karmada, action),
    copyKubeconfig: () => copyKubeconfig(local, host, karmada),
    copyEtcdSecret: (action) => syncClientSecretCopy({ ...tools, ...host }, karmada, action, again),
    issueCertificates: async (action) => ({
      certificates: await ensureInstanceCertificates(tools, action.inputs, action.snapshot),
    }),
    recordReadySpec: (action) => recordReadySpec(host.client, action),
    recordFailedChange: (action) => recordFailedChange(host.client, action),
    createUpgradeBackup: (action) => createUpgradeBackup(local.client, action),
    syncMembers: async (action) => syncMembers(tools, instance, action),
    ...etcdExecutors(tools, instance, snapshot),
    recoverEtcd: (action) => recoverEtcd(recoverTools(tools, instance, snapshot), snapshot, action),
  };
  return recordedExecutors(executors, tools.record);
}

function etcdExecutors(
  tools: ExecutorTools,
  instance: InstanceCache,
  snapshot: Snapshot,
): Pick<Executors, EtcdKind> {
  const { host, clock, log, etcdMembers } = tools;
  const { client } = host;
  const { name } = snapshot.karmada.metadata;
  const ask = askMembersOf(snapshot, instance, host, () => clock.wall());
  const isFounding = snapshot.etcdBirth?.isFounding === true;
  const restart = { client, clock, ask, isFounding };
  const changes: EtcdChangeTools = {
    ...{ client, clock, ask, log, targets: memberTargets(snapshot, instance, host) },
    apply: (target) =>
      applyObject({ instance, name, host, controlPlane: undefined }, { kind: 'apply', target }),
    observe: () => etcdMembers.again(instance.key),
  };
  const upkeep = { ...tools, ...changes, instance, onDone: () => requeue(tools, instance) };
  return {
    recordEtcd: (action) => recordEtcd(client, instance, action),
    annotateClaim: (action) => annotateClaim(client, log, action),
    abandonEtcd: async ({ statefulSet }) => {
      await pruneObject(client, { object: statefulSet, owns: (seen) => isOurs(seen, name) });
      return { writes: 1 };
    },
    changeEtcdMembers: (action) => changeMembers(changes, snapshot, action),
    maintainEtcd: async (action) => {
      void startUpkeep(upkeep, snapshot, action);
      return {};
    },
    excludeEtcdMember: (action) => excludeMember({ client, ask, clock, log, instance }, action),
    growEtcdStorage: (action) => growStorage(host, snapshot, action),
    restartEtcdMember: ({ statefulSet }) =>
      restartMember({ ...restart, isReplaced: replacesMembers(snapshot) }, statefulSet, name),
    replaceEtcdStorage: async ({ replacement }) => ({
      writes: await replaceStorage(host, name, replacement.wanted),
    }),
  };
}

function recoverTools(
  { host, local, clock, random, log, etcdMembers, backupImage }: ExecutorTools,
  instance: InstanceCache,
  snapshot: Snapshot,
): RecoverTools {
  const { client } = host;
  const wall = (): number => clock.wall();
  return {
    ...{ client, clock, log, random, backupImage, management: local.client },
    remote: host.remote && client,
    ask: askMembersOf(snapshot, instance, host, wall),
    askOne: askMemberOf(snapshot, instance, host, wall),
    note: (action) => recordEtcd(client, instance, action),
    observe: () => etcdMembers.again(instance.key),
  };
}

/** Queries the members again and requests a reconcile. */
function requeue({ etcdMembers, enqueue }: ExecutorTools, { key }: InstanceCache): void {
  etcdMembers.again(key);
  enqueue(key);
}
