/** Executes one step of a recovery. Creations fail if the object exists; deletions have the UID as precondition. */
import { FIELD_MANAGER } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { DATA_VOLUME } from '../../components/etcd/data-volume.ts';
import { podClaimName } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Random } from '../../kubernetes/time/clock.ts';
import { isWritten } from '../../kubernetes/client/conditional-write.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { RecordEtcd, RecoverEtcd } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import {
  NOTES_FIELD_MANAGER,
  type EtcdRecord,
  type Recovery,
} from '../../etcd-cluster/identity/record.ts';
import { podRefusal } from '../backups/pod-refusal.ts';
import { memberDomain } from '../etcd-members/etcd-members.ts';
import { backupSource, type SourceTools } from './backup-source.ts';
import { confirmedBackup } from '../../etcd-cluster/recovery/confirmed-backup.ts';
import { begunRecord } from './begun-record.ts';
import {
  confirmedMember,
  type ConfirmedMember,
} from '../../etcd-cluster/recovery/confirmed-member.ts';
import type { FormerClaim } from '../../etcd-cluster/recovery/facts.ts';
import { formerOf, type RecoveryStep } from './next-step.ts';
import { KEPT_LABEL, recordOf, type RecoveryObjects } from './read-facts.ts';
import { SHORT_GRACE_SECONDS } from '../../etcd-cluster/pods/short-grace.ts';
import {
  restoreClaim,
  restoreClaimName,
  restorePod,
  restorePodName,
  type RestoreInput,
} from './restore-pod.ts';
import { memberSnapshot, memberVolume, type SnapshotSource } from './snapshot-source.ts';

export interface StepTools extends SourceTools {
  readonly client: Pick<KubernetesClient, 'find' | 'list' | 'create' | 'patch' | 'delete'>;
  readonly random: Random;
  /** Writes the record to the Secret version that was read. */
  readonly note: (action: RecordEtcd) => Promise<Done>;
}

export interface StepChange {
  readonly snapshot: Snapshot;
  readonly action: RecoverEtcd;
  /** The objects that the step is based on. */
  readonly objects: RecoveryObjects;
  readonly step: RecoveryStep;
}

/**
 * Executes a step.
 * @returns whether it was made, false if the state has changed since; or why the API server refuses the Pod
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function executeStep(
  tools: StepTools,
  change: StepChange,
): Promise<boolean | Problem> {
  const { step } = change;
  switch (step.kind) {
    case 'begin': {
      const record = begunRecord(tools, change, step.from);
      return record !== undefined && note(tools, change, record);
    }
    case 'record':
      return note(tools, change, step.record);
    case 'createClaim':
    case 'createPod':
      return create(tools, change, step.kind);
    default:
      return changeObjects(tools, change);
  }
}

/** Changes or deletes objects that exist. */
async function changeObjects(
  { client }: StepTools,
  { step, objects, snapshot }: StepChange,
): Promise<boolean> {
  const { name, namespace = '' } = snapshot.karmada.metadata;
  const at = { client, namespace };
  switch (step.kind) {
    case 'deletePod':
      return remove(at, resources.Pod, { name: restorePodName(name), uid: step.uid });
    case 'endClients':
      return all(step.pods, (pod) => remove(at, resources.Pod, pod, SHORT_GRACE_SECONDS));
    case 'deleteStatefulSet':
      return remove(at, resources.StatefulSet, objects.statefulSet?.metadata ?? { name: '' });
    case 'deleteClaim':
    case 'keepClaims':
      return changeClaims(at, name, step, recordOf(objects.backup)?.recovery);
    default:
      return false;
  }
}

type ClaimStep = Extract<RecoveryStep, { kind: 'deleteClaim' | 'keepClaims' }>;

/** Deletes the PVC of the recovery, or labels those of the former cluster. @param name `metadata.name` of the Karmada */
async function changeClaims(
  at: Place,
  name: string,
  step: ClaimStep,
  recovery: Recovery | undefined,
): Promise<boolean> {
  if (recovery === undefined) return false;
  if (step.kind === 'keepClaims')
    return all(step.claims, (claim) => keep(at, claim, formerOf(recovery)));
  const claim = { name: restoreClaimName(name, recovery), uid: step.uid };
  return remove(at, resources.PersistentVolumeClaim, claim);
}

async function note(
  tools: StepTools,
  { objects: { backup } }: StepChange,
  record: EtcdRecord | undefined,
): Promise<boolean> {
  if (backup === undefined) return false;
  const { writes = 0 } = await tools.note({ kind: 'recordEtcd', backup, record });
  return writes > 0;
}

/** Creates the PVC or the Pod. @returns false while the desired StatefulSet is not that of the new cluster */
async function create(
  tools: StepTools,
  change: StepChange,
  kind: 'createClaim' | 'createPod',
): Promise<boolean | Problem> {
  const { client } = tools;
  const input = restoreInput(change);
  if (input === undefined) return false;
  const options = { fieldManager: FIELD_MANAGER };
  if (kind === 'createClaim') return isWritten(client.create(restoreClaim(input), options));
  const source = await sourceOf(tools, input, change.objects);
  if (source === undefined) return false;
  const pod = restorePod(input, source);
  return isWritten(client.create(pod, options)).then(
    () => true,
    (error: unknown) => podRefusal(pod, error),
  );
}

/** @returns undefined if objects that the source needs are missing */
function sourceOf(
  tools: StepTools,
  input: RestoreInput,
  objects: RecoveryObjects,
): Promise<SnapshotSource | undefined> {
  const { from } = input.recovery;
  const backup = confirmedBackup(from);
  if (backup !== undefined) return backupSource(tools, input, backup.restore);
  const member = confirmedMember(from);
  return Promise.resolve(member && memberSource(member, input, objects));
}

/** A member that responds sends a snapshot; otherwise its volume is read. */
function memberSource(
  { pod, revision }: ConfirmedMember,
  { name, domain }: RestoreInput,
  { pods, backup }: RecoveryObjects,
): SnapshotSource {
  if (revision !== undefined) {
    const secret = instanceName(name, SECRET_SUFFIX.etcdCert);
    return memberSnapshot(`https://${pod}.${domain}:2379`, secret);
  }
  const { volume = DATA_VOLUME } = recordOf(backup) ?? {};
  const running = pods.find(({ metadata }) => metadata.name === pod);
  const { nodeName } = running?.spec ?? {};
  return memberVolume(volume, podClaimName(volume, pod), nodeName);
}

/** @returns undefined while the desired StatefulSet is not that of the new cluster */
function restoreInput({ action, objects, snapshot }: StepChange): RestoreInput | undefined {
  const { recovery } = recordOf(objects.backup) ?? {};
  const statefulSet = action.restored?.object;
  const former = objects.statefulSet;
  if (!recovery || !statefulSet || !former) return undefined;
  const { name, namespace = '' } = snapshot.karmada.metadata;
  const { podSettings } = snapshot.spec;
  const domain = memberDomain(snapshot);
  return { name, namespace, statefulSet, recovery, former, domain, podSettings };
}

interface Place {
  readonly client: StepTools['client'];
  readonly namespace: string;
}

/** @param gracePeriodSeconds that of the object if undefined */
function remove(
  { client, namespace }: Place,
  type: ResourceType,
  { name, uid = '' }: { readonly name: string; readonly uid?: string },
  gracePeriodSeconds?: number,
): Promise<boolean> {
  if (uid === '') return Promise.resolve(false);
  const options = { uid, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) };
  return isWritten(client.delete(type, { namespace, name }, options));
}

async function all<T>(
  items: readonly T[],
  change: (item: T) => Promise<boolean>,
): Promise<boolean> {
  return (await Promise.all(items.map(change))).some((isChanged) => isChanged);
}

/** Labels a PVC of the former cluster. */
function keep(
  { client, namespace }: Place,
  { name, uid }: FormerClaim,
  cluster: string,
): Promise<boolean> {
  const metadata = { uid, labels: { [KEPT_LABEL]: cluster } };
  const options = { fieldManager: NOTES_FIELD_MANAGER };
  const type = resources.PersistentVolumeClaim;
  return isWritten(client.patch(type, { namespace, name }, { metadata }, options));
}
