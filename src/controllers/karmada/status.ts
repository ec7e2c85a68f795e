/** Builds the status of a Karmada from the result of a reconcile: only observed facts. Pure functions. */
import type { Assessment } from '../../actions/assessment.ts';
import type { StatusInput, StatusReport } from '../../actions/feature.ts';
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import type { KarmadaStatus, Phase } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import { warningContent } from '../../api/warnings/warning-condition.ts';
import { inStatusOrder } from '../../conditions/condition-order.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { appliedSpec, stalled } from '../../conditions/generic-clients.ts';
import { RETRIED } from '../../assessment/assessment.ts';
import { merged, timestamp } from '../../features/status/managed-conditions.ts';
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';
import { componentConditions } from './component-conditions.ts';
import { FEATURES } from './features.ts';

/**
 * Returns the status of a control plane that the operator reconciles.
 * @param before status that was written last
 */
export function statusOf(assessment: Assessment, before: KarmadaStatus): KarmadaStatus {
  const { karmada, now } = assessment.snapshot;
  const { metadata } = karmada;
  const head = headFindings(assessment);
  const components = componentConditions(assessment);
  const stuck = stalledFindings(assessment);
  const isReady = head.some(({ type, status }) => type === 'Ready' && status === 'True');
  const input: StatusInput = { ...assessment, before, isReady };
  const reports = FEATURES.map((feature) => reportOf(feature, input));
  const findings = inStatusOrder([
    ...head,
    ...reports.flatMap((report) => report.conditions),
    ...components,
    ...stuck,
    ...warningFindings(assessment),
  ]);
  const done = isReady || before.secretRef !== undefined;
  return {
    observedGeneration: metadata.generation ?? 0,
    ...appliedSpec(karmada, before, isReady),
    phase: phaseOf(assessment, isReady, before),
    ...(done && accessTo(metadata)),
    ...componentsReady(components),
    ...fieldsOf(reports),
    ...progressTime(assessment, before, stuck.length > 0),
    conditions: merged(karmada, before, findings, now),
  };
}

const fieldsOf = (reports: readonly StatusReport[]): Partial<KarmadaStatus> =>
  reports.reduce<Partial<KarmadaStatus>>((all, { fields }) => ({ ...all, ...fields }), {});

function reportOf(feature: (typeof FEATURES)[number], input: StatusInput): StatusReport {
  const { conditions = [], fields = {} }: Partial<StatusReport> = feature.report?.(input) ?? {};
  return {
    conditions: [...conditions, ...(feature.conditions?.(input) ?? [])],
    fields: { ...fields, ...feature.statusFields?.(input) },
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

/**
 * Time of the last progress of a control plane that is not ready. It stays while only a user can end the state: a new process
 * knows no states, so each restart of the operator would look like progress.
 */
function progressTime(
  { progress }: Assessment,
  { lastProgressTime: former }: KarmadaStatus,
  isStalled: boolean,
): Pick<KarmadaStatus, 'lastProgressTime'> {
  if (progress === undefined) return {};
  if (isStalled && former !== undefined) return { lastProgressTime: former };
  return { lastProgressTime: timestamp(progress.lastAt) };
}

/** Number of ready components; none before the host cluster was observed. */
function componentsReady(
  components: readonly ConditionDraft[],
): Pick<KarmadaStatus, 'componentsReady'> {
  if (components.length === 0) return {};
  const ready = components.filter(({ status }) => status === 'True').length;
  return { componentsReady: `${ready}/${components.length}` };
}

/** Stalled for generic clients. A failed API call counts only without progress, since the operator retries it. */
function stalledFindings(assessment: Assessment): readonly ConditionDraft[] {
  const { problem, blocked, progress } = assessment;
  const cause = problem ?? blocked;
  const isRetried = RETRIED.has(cause?.reason ?? '') && progress?.isOverdue !== true;
  if (cause === undefined || isRetried || continues(assessment)) return [];
  return [stalled(cause)];
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
  ];
}

/** Progressing is False if only a user action allows progress. */
function progressFinding(assessment: Assessment, waiting: string): ConditionDraft {
  const { problem, blocked, unfinished, snapshot } = assessment;
  const stuck = problem ?? snapshot.controlPlane.unobserved ?? blocked;
  const of = (status: 'True' | 'False', reason: Reason, message: string): ConditionDraft => ({
    type: 'Progressing',
    status,
    reason,
    message,
  });
  if (stuck !== undefined && !continues(assessment))
    return of('False', stuck.reason, stuck.message);
  if (blocked !== undefined && continuing(assessment).includes('blocked change'))
    return of('True', blocked.reason, blocked.message);
  if (unfinished.length === 0) return of('False', 'Completed', '');
  const [reason] = FEATURES.flatMap((feature) => feature.progressReason?.(snapshot) ?? []);
  return of('True', reason ?? 'Progressing', waiting);
}

/** Reasons of blocked changes that Ready has itself. */
const READY_REASONS: ReadonlySet<string> = new Set(
  FEATURES.flatMap(({ readyReasons = [] }) => readyReasons),
);

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
  if (blocked !== undefined)
    return ready(
      READY_REASONS.has(blocked.reason) ? blocked.reason : 'ChangeBlocked',
      blocked.message,
    );
  if (unfinished.length > 0) return ready('Progressing', waiting);
  return {
    type: 'Ready',
    status: 'True',
    reason: 'Completed',
    message: 'all components are ready and match the spec',
  };
}

/** What Progressing reports while the operator continues by itself although a change is blocked. */
const continuing = (assessment: Assessment): readonly string[] =>
  FEATURES.flatMap((feature) => feature.continues?.(assessment) ?? []);

const continues = (assessment: Assessment): boolean => continuing(assessment).length > 0;

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
