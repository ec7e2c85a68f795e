/** Decides what a KarmadaRestore does after the data was replaced: pure. The propagation continues when the user says so. */
import type { KarmadaRestore } from '../../../api/backup/kinds.ts';
import type { Karmada } from '../../../api/karmada.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import { compareCommand, PROPAGATION_PAUSED } from '../../../features/propagation/propagation.ts';
import { CONDITION_TYPE } from '../../../conditions/condition-types.ts';
import type { RestoreFacts } from './restore-facts.ts';
import { annotationsOf, type RestorePlan } from './restore-plan.ts';
import { pauses } from './propagation-pause.ts';
import { finished, reportedRestore, type RestoreReport } from './restore-status.ts';

/** Plans a restore whose data was replaced. */
export function planAfterReplacement(
  restore: KarmadaRestore,
  { karmada, memberClusters, now }: RestoreFacts,
): RestorePlan {
  const isPaused = pauses(restore, annotationsOf(karmada));
  if (!isPaused) return ended(restore, complete(restore), { now });
  const cause = restore.status?.finishedAt === undefined ? unserved(karmada) : undefined;
  if (cause !== undefined) return awaited(restore, cause, now);
  const mayResume = restore.spec.propagation === 'Resumed';
  return {
    ...ended(restore, paused(restore), { ...(memberClusters && { memberClusters }), now }),
    ...(mayResume && { annotate: { [PROPAGATION_PAUSED]: null } }),
  };
}

function ended(
  restore: KarmadaRestore,
  report: RestoreReport,
  { now, ...compared }: Pick<RestoreFacts, 'memberClusters' | 'now'>,
): RestorePlan {
  const more = { ...finished(restore, now), ...compared };
  return { status: reportedRestore(restore, { report, more, now }), hasFinalizer: false };
}

/** A restore with this reason is never withdrawn and never starts again, also if the record of etcd is lost. */
export const REPLACED = { phase: 'Restoring', reason: 'DataReplaced' } as const;

/** Until they serve, a user can compare nothing. A restore that is deleted meanwhile is not withdrawn any more. */
function awaited(restore: KarmadaRestore, cause: string, now: string): RestorePlan {
  const message = `the data is restored; waits for the API servers: ${cause}`;
  const report: RestoreReport = { ...REPLACED, message };
  const status = reportedRestore(restore, { report, more: {}, now });
  return { status, hasFinalizer: !isTerminating(restore) };
}

/** The servers of the restored data. The controllers stay stopped while the propagation is paused. */
const SERVERS = [
  CONDITION_TYPE['karmada-apiserver'],
  CONDITION_TYPE['karmada-aggregated-apiserver'],
] as const;

/** Returns why the API servers do not serve yet; undefined if they do. */
function unserved(karmada: Karmada | undefined): string | undefined {
  const conditions = karmada?.status?.conditions ?? [];
  const missing = SERVERS.find(
    (server) => conditions.find(({ type }) => type === server)?.status !== 'True',
  );
  if (missing === undefined) return undefined;
  const message = conditions.find(({ type }) => type === missing)?.message ?? '';
  return message === '' ? missing : message;
}

function paused({ metadata, spec }: KarmadaRestore): RestoreReport {
  const { name, namespace = '' } = metadata;
  const compare = compareCommand({ name: spec.karmadaRef.name, namespace });
  return {
    phase: 'PropagationPaused',
    reason: 'PropagationPaused',
    message: `the data is restored; nothing is changed in member clusters until you continue; compare them: ${compare}; to continue: kubectl -n ${namespace} patch karmadarestore ${name} --type merge -p '{"spec":{"propagation":"Resumed"}}'`,
  };
}

const complete = (restore: KarmadaRestore): RestoreReport => ({
  phase: 'Complete',
  reason: 'Restored',
  message: completeText(restore),
});

/** The operator has no access to agents, and learns only from later heartbeats which of them report. */
function completeText({ metadata: { namespace = '' }, spec, status }: KarmadaRestore): string {
  const text = 'the data is restored';
  const pulled = (status?.memberClusters?.clusters ?? []).flatMap(({ name, syncMode }) =>
    syncMode === 'Pull' ? [name] : [],
  );
  const command = compareCommand({ name: spec.karmadaRef.name, namespace });
  return pulled.length === 0
    ? text
    : `${text}; start the agents of the member clusters in pull mode (${pulled.join(', ')}); this lists those that do not report, and what to do: ${command}`;
}
