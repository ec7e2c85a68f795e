/**
 * Steps of a reconcile before its plan: Namespace, copied Secrets, initial Services, certificates, and the decision
 * to create etcd.
 */
import type { Problem } from '../../api/problem.ts';
import type { Templates } from '../../components/render.ts';
import { secureContextOf } from '../../etcd/dial.ts';
import type { Log } from '../../kubernetes/clock.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { executeActions, executeActionsOrThrow } from '../../actions/execute-actions.ts';
import type { Action } from '../../actions/action.ts';
import { withClusterAddresses } from '../../features/certificates/pki-inputs.ts';
import { connectControlPlane } from '../../features/control-plane/connect-control-plane.ts';
import { prepareEtcdBirth } from '../../features/etcd-plan/prepare-birth.ts';
import {
  copyEtcdSecretAction,
  withCopied,
} from '../../features/external-etcd/client-secret-copy.ts';
import { obstacleOf } from '../../features/external-etcd/external-etcd.ts';
import { executorsFor, type ExecutorTools } from './executors.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { initialServiceActions } from '../../features/components/initial-services.ts';
import type { Observation } from './observe.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import { prepareRemoteActions } from '../../features/remote-host/remote-host.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { withExecutionResult } from '../../features/assessment/assessment.ts';

export interface PrerequisiteTools extends ExecutorTools {
  readonly templates: Templates;
  readonly log: Log;
  /** User agent of requests to control planes. */
  readonly userAgent: string;
}

interface Certificates {
  readonly view?: CertificatesView;
  readonly problem?: Problem;
}

export interface Prerequisites extends Certificates {
  readonly snapshot: Snapshot;
}

interface Adoption {
  /** Rounds of actions that adopt objects of the Go operator. */
  readonly adoption: readonly (readonly Action[])[];
}

/**
 * Executes the steps that the plan of a reconcile depends on. Creates nothing for a new control plane until its
 * external etcd has passed a health check.
 * @returns the updated snapshot; `view` is absent while there are no certificates
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function ensurePrerequisites(
  tools: PrerequisiteTools,
  instance: InstanceCache,
  { snapshot: observed, pki, adoption }: Observation & Adoption,
): Promise<Prerequisites> {
  const executors = executorsFor(tools, instance, observed);
  const perform = (actions: readonly Action[]): Promise<ExecutionResult> =>
    executeActionsOrThrow(executors, actions);
  for (const round of adoption) await perform(round);
  await perform(prepareRemoteActions(observed));
  const copied = await perform(copyEtcdSecretAction(observed));
  const found = withCopied(observed, copied);
  if (obstacleOf(found) !== undefined) return { snapshot: found };
  const snapshot = withExecutionResult(
    found,
    await executeActions(executors, initialServiceActions(tools.templates, found)),
  );
  const inputs = withClusterAddresses(pki, snapshot.host.objects);
  const issue = { snapshot, pki: inputs, perform };
  const certificates = await currentCertificates(tools, instance, issue);
  const tend = { ...tools, instance, act: perform };
  return { ...certificates, snapshot: await prepareEtcdBirth(tend, snapshot, certificates.view) };
}

interface Issue {
  readonly snapshot: Snapshot;
  readonly pki: PkiInputs;
  readonly perform: (actions: readonly Action[]) => Promise<ExecutionResult>;
}

/** Returns the current certificates; reads and renews them first if that is due. */
async function currentCertificates(
  tools: PrerequisiteTools,
  instance: InstanceCache,
  { snapshot, pki: inputs, perform }: Issue,
): Promise<Certificates> {
  const { certificates } = snapshot;
  if (certificates.state === 'valid') return { view: certificates.view };
  const issue: Action = { kind: 'issueCertificates', inputs, snapshot };
  const { certificates: result } = await perform([issue]);
  if (result === undefined) return {};
  if (result.outcome === 'held')
    return { problem: result.problem, ...(certificates.last && { view: certificates.last }) };
  instance.certificates = result.memo;
  if (result.etcdClient !== undefined) instance.etcdClient = secureContextOf(result.etcdClient);
  await connectControlPlane(tools, instance, result.credentials);
  return { view: result.memo.view };
}
