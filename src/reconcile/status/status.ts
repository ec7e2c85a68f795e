/** The status of a Karmada from what a pass saw and did: pure. It never says more than was seen. */
import type { KarmadaStatus, Phase } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import { warnings } from '../../api/warnings.ts';
import { componentFindings, etcdHealth, type Assessment } from './assessment.ts';
import type { Finding } from './conditions.ts';
import { etcdFindings, etcdWarnings } from '../etcd/etcd-findings.ts';
import { pauseFindings } from '../pause.ts';
import { runningVersions } from '../versions/running-versions.ts';
import { CONDITION_TYPE, HOST_REACHABLE } from './condition-types.ts';
import { merged, timestamp } from './own-conditions.ts';
import type { Snapshot } from '../snapshot.ts';
import { upgradeOf } from '../versions/upgrade.ts';

/** The status of an instance that is being worked on. */
export function statusOf(assessment: Assessment, before: KarmadaStatus): KarmadaStatus {
  const { snapshot } = assessment;
  const { karmada, spec } = snapshot;
  const { metadata } = karmada;
  const findings = [
    ...headFindings(assessment),
    ...etcdFindings(assessment, before),
    ...componentFindings(assessment),
    ...estimatorFindings(assessment, before),
    ...pauseFindings(snapshot),
    ...hostFindings(snapshot),
  ];
  const ready = findings.some(({ type, status }) => type === 'Ready' && status === 'True');
  const versions = runningVersions(snapshot, before);
  const upgrade = upgradeOf(assessment, before, ready);
  const view = assessment.view;
  const done = ready || before.secretRef !== undefined;
  return {
    ...(upgrade && { upgrade }),
    observedGeneration: metadata.generation ?? 0,
    phase: phaseOf(assessment, ready, before),
    ...placeIn(snapshot),
    ...(done && {
      secretRef: {
        name: instanceName(metadata.name, 'admin-config'),
        namespace: metadata.namespace ?? '',
      },
      apiServerService: { name: instanceName(metadata.name, 'apiserver') },
    }),
    ...(versions.karmada && { karmadaVersion: versions.karmada }),
    ...(versions.kubernetes && { kubernetesVersion: versions.kubernetes }),
    versions,
    etcd: spec.components.etcd.local ? etcdHealth(assessment).summary : 'external',
    ...(view && { certificateExpiry: timestamp(view.expiresAt) }),
    conditions: merged(karmada, before, [...findings, ...warningFindings(snapshot)], snapshot.now),
  };
}

/** Until the members have been read, what was said of their estimators is the best there is to say. */
function estimatorFindings(
  { snapshot, estimators }: Assessment,
  before: KarmadaStatus,
): readonly Finding[] {
  const type = CONDITION_TYPE['karmada-scheduler-estimator'];
  const said = before.conditions?.find((condition) => condition.type === type);
  if (snapshot.members.state !== 'reading' || said === undefined) return estimators;
  const { status, reason, message } = said;
  return [{ type, status, reason, message }];
}

function headFindings(assessment: Assessment): readonly Finding[] {
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
    certificatesFinding(assessment),
  ];
}

/** What only somebody else can set going again does not progress. */
function progressFinding({ problem, held, unfinished }: Assessment, waiting: string): Finding {
  const stuck = problem ?? held;
  const still = (reason: string, message: string): Finding => ({
    type: 'Progressing',
    status: 'False',
    reason,
    message,
  });
  if (stuck !== undefined) return still(stuck.reason, stuck.message);
  if (unfinished.length === 0) return still('Completed', '');
  return { type: 'Progressing', status: 'True', reason: 'Progressing', message: waiting };
}

function readyFinding({ problem, held, unfinished }: Assessment, waiting: string): Finding {
  const ready = (reason: string, message: string): Finding => ({
    type: 'Ready',
    status: 'False',
    reason,
    message,
  });
  if (problem !== undefined) return ready('Failed', problem.message);
  if (held !== undefined) return ready('Held', held.message);
  if (unfinished.length > 0) return ready('Progressing', waiting);
  return {
    type: 'Ready',
    status: 'True',
    reason: 'Completed',
    message: 'all components run as the spec asks for',
  };
}

function certificatesFinding({ view, certificateProblem, snapshot }: Assessment): Finding {
  const invalid = (status: 'False' | 'Unknown', reason: string, message: string): Finding => ({
    type: 'CertificatesValid',
    status,
    reason,
    message,
  });
  if (certificateProblem)
    return invalid('False', certificateProblem.reason, certificateProblem.message);
  if (view === undefined)
    return invalid('Unknown', 'Pending', 'the certificates have not been read yet');
  if (view.expiresAt <= snapshot.now)
    return invalid('False', 'Expired', `a certificate expired at ${timestamp(view.expiresAt)}`);
  const remarks = view.remarks.join('; ');
  return { type: 'CertificatesValid', status: 'True', reason: 'Valid', message: remarks };
}

/** Which cluster the control plane is in, unless that is the operator's own. */
function placeIn({ remote }: Snapshot): Pick<KarmadaStatus, 'hostUID'> {
  return remote?.uid === undefined ? {} : { hostUID: remote.uid };
}

/** Of a host other than the operator's own cluster. */
function hostFindings({ remote }: Snapshot): readonly Finding[] {
  if (remote === undefined) return [];
  return [{ type: HOST_REACHABLE, status: 'True', reason: 'Reached', message: remote.server }];
}

function warningFindings(snapshot: Snapshot): readonly Finding[] {
  const found = [...warnings(snapshot.karmada, snapshot.spec), ...etcdWarnings(snapshot)];
  const [first] = found;
  if (first === undefined) return [];
  const message = found.map((warning) => warning.message).join(' ');
  return [{ type: 'Warning', status: 'True', reason: first.reason, message }];
}

function phaseOf(assessment: Assessment, ready: boolean, before: KarmadaStatus): Phase {
  if (ready) return 'Running';
  const installed = before.secretRef !== undefined;
  if (assessment.problem !== undefined) return installed ? 'Degraded' : 'Failed';
  return installed ? 'Updating' : 'Installing';
}
