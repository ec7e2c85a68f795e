/** Reconciles one control plane: observe, compute the desired state, plan, execute, write the status. */
import type { LongResponses } from '../../kubernetes/client/long-responses.ts';
import type { TenantPods } from '../../components/pod-security.ts';
import type { PodSecurityLevel } from '../../host-clusters/host-namespace.ts';
import type { Archives } from '../../crd-archives/archives.ts';
import type { Karmada } from '../../api/karmada.ts';
import type { SecretPolicy, SecretRefusal } from '../../api/secrets/secret-grant.ts';
import type { Templates } from '../../components/render.ts';
import type { ExternalEtcds } from '../../external-etcd/external-etcds.ts';
import type { AddressesOf } from '../../kubernetes/connection/addresses.ts';
import type { CacheMemory } from '../../kubernetes/informers/cache-quota/cache-memory.ts';
import type { SharedValues } from '../../kubernetes/informers/shared-values.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import type { Clock, Log, Random } from '../../kubernetes/time/clock.ts';
import type { ReconcileResult } from '../../kubernetes/workqueue/worker.ts';
import type { Term } from '../../kubernetes/time/term.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import type { AdoptionTools } from '../../features/adoption/read-adoption.ts';
import type { Action } from '../../actions/action.ts';
import type { EventTools } from '../../features/causes/observe-events.ts';
import { executeActions, executeActionsOrThrow } from '../../actions/execute-actions.ts';
import type { Known, Reconciled } from '../../actions/round.ts';
import { roundsOf } from './rounds.ts';
import { runRounds, type RoundContext } from './run-rounds.ts';
import type { EtcdMemberTools } from '../../features/etcd-members/etcd-members.ts';
import type { Priority } from '../../kubernetes/fairness/fair-order.ts';
import type { InstanceCache, InstanceCaches } from '../../instance/instance-cache.ts';
import { observe } from './observe.ts';
import type { RolloutLimit } from '../../instance/rollout-turn.ts';
import { executorsFor, type ExecutorTools } from './executors.ts';
import { withLateWrites } from '../../actions/late-writes.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import { resultOf } from './result.ts';
import type { JudgeLimits } from './status-round.ts';
import { currentStatus, type StatusTools } from '../../features/status/status-writer.ts';

export interface ConvergeTools
  extends
    StatusTools,
    EtcdMemberTools,
    EventTools,
    JudgeLimits,
    Pick<ExecutorTools, 'backupImage' | 'record' | 'onCalls'> {
  readonly local: ManagementCluster;
  /** Host cluster of the control plane. */
  readonly host: Host;
  readonly instances: InstanceCaches;
  readonly rolloutLimit: RolloutLimit;
  /** See `AdoptionTools`. */
  readonly ownLease?: AdoptionTools['ownLease'];
  /** Namespace of the Pods of this operator. */
  readonly operatorNamespace?: string;
  readonly archives: Pick<Archives, 'of' | 'forget'>;
  readonly etcds: Pick<ExternalEtcds, 'of' | 'earlierUserOf' | 'again' | 'forget'>;
  readonly secretPolicy: SecretPolicy;
  /** Reason why a new Karmada could not use the host cluster Secret that this Karmada uses. */
  readonly secretWarning?: SecretRefusal;
  /** Policy for addresses that a Karmada may reference. */
  readonly addresses: AddressesOf;
  /** Which Pods the operator creates. */
  readonly tenantPods: TenantPods;
  /** Level of namespaces in host clusters, if that in the management cluster has none. */
  readonly hostPodSecurity: PodSecurityLevel;
  readonly templates: Templates;
  readonly keys: KeyGenerator;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** User agent of requests to control planes. */
  readonly userAgent: string;
  /** Adds a Karmada (`namespace/name`) to the work queue. High priority only counts for a control plane that works. */
  readonly enqueue: (key: string, priority?: Priority) => void;
  /** See `ClientOptions`. */
  readonly term?: Term;
  /** Memory of all caches of the process. */
  readonly memory?: CacheMemory;
  /** See `CacheOptions`. */
  readonly shared?: Pick<SharedValues, 'share'>;
  /** See `ClientOptions`. */
  readonly responses?: Pick<LongResponses, 'of' | 'keep'>;
}

/** What the preflight checks have found. An adoption changes Secrets, so that what was read before does not count. */
interface Found extends Pick<Known, 'present'> {
  readonly adoption?: readonly (readonly Action[])[];
}

/**
 * Reconciles one control plane and writes its status.
 * @param found by the preflight checks: rounds of actions before all others, or the Secrets as they were read
 * @returns the delay until the next reconcile in milliseconds
 * @throws ReportedError for the first retryable error, which is also in the status
 */
export async function converge(
  tools: ConvergeTools,
  instance: InstanceCache,
  karmada: Karmada,
  { adoption = [], present }: Found = {},
): Promise<ReconcileResult> {
  const { clock, random, log } = tools;
  const before = currentStatus(instance, karmada);
  const { change, end } = await runRounds<ConvergeTools, Reconciled>(
    roundsOf(tools, adoption),
    { tools, instance, clock, random, act: actorOf(tools, instance) },
    { ...(await observe(tools, instance, karmada)), before, ...optionalField('present', present) },
  );
  const objects = change?.outcome.writes ?? 0;
  if (objects > 0) log.info({ karmada: instance.key, objects }, 'objects changed');
  return end === undefined ? {} : resultOf(end);
}

/** A control plane that was Ready once does not delay the repair of its objects in the host cluster. */
const actorOf =
  (tools: ConvergeTools, instance: InstanceCache): RoundContext<ConvergeTools, Reconciled>['act'] =>
  (actions, { snapshot, before }, { toleratesErrors }) => {
    const executors = executorsFor(tools, instance, snapshot);
    const { calls } = instance.controlPlane ?? {};
    const isInstalled = calls !== undefined && before.secretRef !== undefined;
    const writers = isInstalled ? withLateWrites(executors, calls) : executors;
    return (toleratesErrors ? executeActions : executeActionsOrThrow)(writers, actions);
  };
