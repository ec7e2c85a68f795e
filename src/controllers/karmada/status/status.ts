/** Builds the status of a Karmada from the result of a reconcile: only observed facts. Pure functions. */
import type { Reason } from '../../../api/condition-reasons.ts';
import type { KarmadaStatus, Phase } from '../../../api/karmada.ts';
import { instanceName } from '../../../api/naming.ts';
import type { ObjectMeta } from '../../../kubernetes/object.ts';
import {
  componentFindings,
  RETRIED,
  type Assessment,
} from '../../../features/assessment/assessment.ts';
import { certificatesCondition } from '../../../features/certificates/condition.ts';
import type { ConditionDraft } from '../../../conditions/conditions.ts';
import { etcdConditions } from './etcd-conditions.ts';
import { ETCD_RECOVERING } from '../../../etcd-cluster/recovery/reason.ts';
import { dataField } from '../../../features/external-etcd/external-data.ts';
import { rolloutState } from '../../../features/operator-rollout/other-control-planes.ts';
import { rolloutConditions } from '../../../features/operator-rollout/rollout-order.ts';
import { pauseConditions } from '../../../instance/pause.ts';
import { runningVersions } from '../../../features/versions/running-versions.ts';
import { CONDITION_TYPE } from '../../../conditions/condition-types.ts';
import { hostFindings, placeIn } from '../../../features/status/host-fields.ts';
import { etcdClusterStatus } from './etcd-cluster-status.ts';
import { etcdHealth } from '../../../features/etcd-plan/etcd-health.ts';
import { merged, timestamp } from '../../../features/status/managed-conditions.ts';
import { memberClustersStatus } from '../../../features/member-access/member-clusters-status.ts';
import { appliedSpec, stalled } from '../../../conditions/generic-clients.ts';
import type { Snapshot } from '../../../instance/snapshot.ts';
import { UPGRADE_ROLLED_BACK } from '../../../features/rollback/rollback-status.ts';
import { AWAITING_BACKUP, awaitedBackup } from '../../../instance/upgrade-backup.ts';
import { upgradeOf } from './upgrade.ts';
import { warningContent } from '../../../api/warning-condition.ts';

/**
 * Returns the status of a control plane that the operator reconciles.
 * @param before status that was written last
 */
export function statusOf(assessment: Assessment, before: KarmadaStatus): KarmadaStatus {
  const { snapshot, view } = assessment;
  const { karmada } = snapshot;
  const { metadata } = karmada;
  const components = componentFindings(assessment);
  const findings = [
    ...headFindings(assessment),
    ...etcdConditions(assessment, before),
    ...components,
    ...estimatorFindings(assessment, before),
    ...stalledFindings(assessment),
    ...pauseConditions(snapshot),
    ...hostFindings(snapshot),
  ];
  const ready = findings.some(({ type, status }) => type === 'Ready' && status === 'True');
  findings.push(...rollout(assessment, before, ready));
  const versions = runningVersions(snapshot, before);
  const upgrade = upgradeOf(assessment, before, ready);
  const memberClusters = memberClustersStatus(snapshot, before.memberClusters);
  findings.push(...warningFindings(assessment));
  const done = ready || before.secretRef !== undefined;
  return {
    ...(upgrade && { upgrade }),
    observedGeneration: metadata.generation ?? 0,
    ...appliedSpec(karmada, before, ready),
    phase: phaseOf(assessment, ready, before),
    ...placeIn(snapshot),
    ...(done && accessTo(metadata)),
    ...(versions.karmada && { karmadaVersion: versions.karmada }),
    ...(versions.kubernetes && { kubernetesVersion: versions.kubernetes }),
    versions,
    ...componentsReady(components),
    ...etcdFields(snapshot, before),
    ...dataField(snapshot, before, ready),
    ...(view && { certificateExpiry: timestamp(view.expiresAt) }),
    ...(memberClusters && { memberClusters }),
    ...progressTime(assessment),
    conditions: merged(karmada, before, findings, snapshot.now),
  };
}

/** The condition with all warnings; none without a warning. */
function warningFindings({ warnings }: Assessment): readonly ConditionDraft[] {
  const content = warningContent(warnings);
  return content === undefined ? [] : [{ type: 'Warning', status: 'True', ...content }];
}

/** Admin kubeconfig, and Service of the API server. */
const accessTo = ({
  name,
  namespace = '',
}: ObjectMeta): Pick<KarmadaStatus, 'secretRef' | 'apiServerService'> => ({
  secretRef: { name: instanceName(name, 'admin-config'), namespace },
  apiServerService: { name: instanceName(name, 'apiserver') },
});

/** Time of the last progress of a control plane that is not ready. */
const progressTime = ({ progress }: Assessment): Pick<KarmadaStatus, 'lastProgressTime'> =>
  progress === undefined ? {} : { lastProgressTime: timestamp(progress.lastAt) };

/** Number of ready components; none before the host cluster was observed. */
function componentsReady(
  components: readonly ConditionDraft[],
): Pick<KarmadaStatus, 'componentsReady'> {
  if (components.length === 0) return {};
  const ready = components.filter(({ status }) => status === 'True').length;
  return { componentsReady: `${ready}/${components.length}` };
}

/** Summary of etcd, and what the members of a local one report. */
function etcdFields(
  snapshot: Snapshot,
  before: KarmadaStatus,
): Pick<KarmadaStatus, 'etcd' | 'etcdCluster'> {
  if (snapshot.spec.components.etcd.local === undefined) return { etcd: 'external' };
  const etcdCluster = etcdClusterStatus(snapshot, before.etcdCluster);
  return { etcd: etcdHealth(snapshot).summary, ...(etcdCluster && { etcdCluster }) };
}

/** Condition of a control plane whose Pods roll, or wait to roll, for a new version of the operator. */
function rollout(
  { rollout: turn, problem }: Assessment,
  before: KarmadaStatus,
  ready: boolean,
): readonly ConditionDraft[] {
  const marked = ['rolling', 'failed'].includes(rolloutState(before));
  return rolloutConditions(turn, { marked, ready, failure: problem?.message });
}

/** Stalled for generic clients. A failed API call counts only without progress, since the operator retries it. */
function stalledFindings(assessment: Assessment): readonly ConditionDraft[] {
  const { problem, blocked, progress } = assessment;
  const cause = problem ?? blocked;
  const isRetried = RETRIED.has(cause?.reason ?? '') && progress?.isOverdue !== true;
  if (cause === undefined || isRetried || continues(assessment)) return [];
  return [stalled(cause)];
}

/** Keeps the previous condition of the estimators until the operator has read the member clusters. */
function estimatorFindings(
  { snapshot, estimators }: Assessment,
  before: KarmadaStatus,
): readonly ConditionDraft[] {
  const type = CONDITION_TYPE['karmada-scheduler-estimator'];
  const said = before.conditions?.find((condition) => condition.type === type);
  if (snapshot.members.state !== 'reading' || said === undefined) return estimators;
  const { status, reason, message } = said;
  return [{ type, status, reason, message }];
}

function headFindings(assessment: Assessment): readonly ConditionDraft[] {
  const { problem, unfinished } = assessment;
  const waiting = unfinished.map(({ message }) => message).join('; ');
  return [
    readyFinding(assessment, waiting),
    progressFinding(assessment, waiting),
    {
      type: 'Degraded',
      status: problem === undefined ? 'False' : 'True',
      reason: problem?.reason ?? 'AsExpected',
      message: problem?.message ?? '',
    },
    certificatesCondition(assessment),
  ];
}

/** Progressing is False if only a user action allows progress. */
function progressFinding(assessment: Assessment, waiting: string): ConditionDraft {
  const { problem, blocked, unfinished, snapshot } = assessment;
  const stuck = problem ?? snapshot.controlPlane.unobserved ?? blocked;
  const still = (reason: Reason, message: string): ConditionDraft => ({
    type: 'Progressing',
    status: 'False',
    reason,
    message,
  });
  if (stuck !== undefined && !continues(assessment)) return still(stuck.reason, stuck.message);
  if (blocked !== undefined && isRecovering(assessment))
    return {
      type: 'Progressing',
      status: 'True',
      reason: blocked.reason,
      message: blocked.message,
    };
  if (unfinished.length === 0) return still('Completed', '');
  const reason = awaitedBackup(snapshot).length > 0 ? AWAITING_BACKUP : 'Progressing';
  return { type: 'Progressing', status: 'True', reason, message: waiting };
}

function readyFinding(assessment: Assessment, waiting: string): ConditionDraft {
  const { problem, blocked, unfinished, snapshot } = assessment;
  const { unobserved } = snapshot.controlPlane;
  const ready = (reason: Reason, message: string): ConditionDraft => ({
    type: 'Ready',
    status: 'False',
    reason,
    message,
  });
  if (problem !== undefined) return ready('Failed', problem.message);
  if (unobserved !== undefined) return { type: 'Ready', status: 'Unknown', ...unobserved };
  if (blocked?.reason === UPGRADE_ROLLED_BACK) return ready(blocked.reason, blocked.message);
  if (blocked !== undefined) return ready('ChangeBlocked', blocked.message);
  if (unfinished.length > 0) return ready('Progressing', waiting);
  return {
    type: 'Ready',
    status: 'True',
    reason: 'Completed',
    message: 'all components are ready and match the spec',
  };
}

/** Whether the operator continues by itself although a change is blocked. */
const continues = (assessment: Assessment): boolean =>
  isReturning(assessment) || isRecovering(assessment);

/** Whether etcd is recovered, and the recovery has not been without progress for too long. */
const isRecovering = ({ blocked, problem, progress, snapshot }: Assessment): boolean =>
  blocked?.reason === ETCD_RECOVERING &&
  problem === undefined &&
  snapshot.controlPlane.unobserved === undefined &&
  progress?.isOverdue === false;

/** Whether the operator returns to the last ready spec, without a problem. */
const isReturning = ({ snapshot, problem, unfinished }: Assessment): boolean =>
  snapshot.rollback !== undefined && problem === undefined && unfinished.length > 0;

function phaseOf(assessment: Assessment, ready: boolean, before: KarmadaStatus): Phase {
  if (ready) return 'Running';
  const installed = before.secretRef !== undefined;
  const { unobserved } = assessment.snapshot.controlPlane;
  if (isBlocked(assessment)) return 'Blocked';
  if (assessment.problem !== undefined) return installed ? 'Degraded' : 'Failed';
  if (unobserved !== undefined) return installed ? 'Degraded' : 'Installing';
  return installed ? 'Updating' : 'Installing';
}

/** Whether only the user can continue, because a change is blocked. */
const isBlocked = (assessment: Assessment): boolean =>
  assessment.blocked !== undefined &&
  assessment.problem === undefined &&
  assessment.snapshot.controlPlane.unobserved === undefined &&
  !continues(assessment);
