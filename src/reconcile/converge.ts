/** Reconciles one control plane: observe, compute the desired state, plan, execute, write the status. */
import type { Archives } from '../archives/archives.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { SecretPolicy, SecretRefusal } from '../api/secret-grant.ts';
import type { Templates } from '../components/render.ts';
import type { ExternalEtcds } from '../external-etcd/external-etcds.ts';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import { spread, type Clock, type Log, type Random } from '../kubernetes/clock.ts';
import type { ReconcileResult } from '../kubernetes/worker.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import type { ActOutcome } from './outcome.ts';
import { assess, isComplete, withUnanswered, type Assessment } from './status/assessment.ts';
import { act } from './act.ts';
import { begin } from './begin.ts';
import type { ControlPlane } from './control-plane.ts';
import { decide, type DecideInput, type Decision } from './decide.ts';
import { tendEtcdMembers, type EtcdMemberTools } from './etcd/etcd-members.ts';
import { withLastingHolds } from './etcd/lasting-holds.ts';
import type { Instance, Instances, Unserved } from './instance.ts';
import { nextLook } from './next-look.ts';
import { observe } from './observe.ts';
import { siblingsOf } from './operator-rollout/siblings.ts';
import type { RolloutLimit, Sibling } from './operator-rollout/turn.ts';
import { askControlPlane } from './observe-serving.ts';
import { executorsFor } from './executors.ts';
import { podsText } from './pods-text.ts';
import type { Snapshot } from './snapshot.ts';
import type { Host, Local } from '../hosts/host.ts';
import { askAgainMs, mustShow, patienceMs, unansweredOf } from './serving.ts';
import { readingOf } from './reading.ts';
import { isUnread } from './status/first-look.ts';
import { statusOf } from './status/status.ts';
import { currentStatus, writeStatus, type StatusTools } from './status/status-writer.ts';

export interface ConvergeTools extends StatusTools, EtcdMemberTools {
  readonly local: Local;
  /** Host cluster of the control plane. */
  readonly host: Host;
  readonly instances: Instances;
  readonly rolloutLimit: RolloutLimit;
  readonly archives: Pick<Archives, 'of' | 'forget'>;
  readonly etcds: Pick<ExternalEtcds, 'of' | 'again' | 'forget'>;
  readonly secretPolicy: SecretPolicy;
  /** Reason why a new Karmada could not use the host cluster Secret that this Karmada uses. */
  readonly secretWarning?: SecretRefusal;
  /** Policy for addresses that a Karmada may reference. */
  readonly addresses: AddressPolicy;
  readonly templates: Templates;
  readonly keys: KeyGenerator;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** User agent of requests to control planes. */
  readonly userAgent: string;
  /** Adds a Karmada (`namespace/name`) to the work queue. */
  readonly enqueue: (key: string) => void;
  /** See `ClientOptions`. */
  readonly term?: AbortSignal;
}

/**
 * Reconciles one control plane and writes its status.
 * @returns the delay until the next reconcile in milliseconds, or the first retryable error, which is also in the
 *   status
 */
export async function converge(
  tools: ConvergeTools,
  instance: Instance,
  karmada: Karmada,
): Promise<ReconcileResult> {
  const observation = await observe(tools, instance, karmada);
  startReading(instance, observation.snapshot);
  const { snapshot, view, problem } = await begin(tools, instance, observation);
  const before = currentStatus(instance, karmada);
  const decision = decideAndRemember(tools, instance, { snapshot, view, before });
  const { wish, rollout, plan } = decision;
  tendEtcdMembers(tools, instance, snapshot);
  const outcome = await act(executorsFor(tools, instance, snapshot), plan.actions);
  const seen = assess({
    snapshot,
    rollout,
    desired: wish?.desired,
    view,
    plan: withLastingHolds(instance, plan, outcome, tools.clock.monotonic()),
    outcome,
    certificateProblem: problem,
  });
  const assessment = await shown(tools, instance, seen, before);
  const next = isUnread(assessment, before, readingOf(tools, instance, assessment.snapshot))
    ? before
    : statusOf(assessment, before);
  const left = await writeStatus(tools, instance, karmada, next);
  report(tools, instance, outcome);
  const [error] = outcome.errors;
  if (error !== undefined) return { error };
  if (rollout.turn === 'claim' && next !== before) return { requeueAfterMs: Math.max(1, left) };
  return { requeueAfterMs: nextLook(tools, instance, assessment, left) };
}

/** Starts the caches of a control plane whose API server is ready. */
function startReading({ controlPlane }: Instance, { controlPlane: seen }: Snapshot): void {
  if (seen.isAnswering) controlPlane?.start();
}

/**
 * Decides, and stores in memory what the next decision needs. It waits for nothing, so that no two control planes
 * take the last place of a rollout.
 */
function decideAndRemember(
  { templates, rolloutLimit: limit, ...tools }: ConvergeTools,
  instance: Instance,
  seen: { readonly before: KarmadaStatus } & Pick<DecideInput, 'snapshot' | 'view'>,
): Decision {
  const { snapshot, view, before } = seen;
  const { generation } = snapshot.karmada.metadata;
  const { ways = new Map(), rendered } = instance;
  const asked = generation !== undefined && instance.asked === generation;
  const siblings = (): readonly Sibling[] => siblingsOf(tools, instance.key);
  const decision = decide(templates, {
    ...{ snapshot, view, ways, rendered },
    rollout: { before, asked, siblings, limit },
  });
  instance.probes = decision.probes;
  instance.claims = decision.rollout.turn === 'claim';
  if (decision.wish !== undefined) instance.rendered = decision.wish.rendered;
  return decision;
}

/**
 * Adds failed functional checks to the assessment. Checks a complete control plane before its status changes to
 * ready.
 */
async function shown(
  { clock, random }: Pick<ConvergeTools, 'clock' | 'random'>,
  instance: Instance,
  seen: Assessment,
  before: KarmadaStatus,
): Promise<Assessment> {
  const { controlPlane } = instance;
  const { generation } = seen.snapshot.karmada.metadata;
  if (controlPlane === undefined || !isComplete(seen) || !mustShow(before, generation)) return seen;
  const pods = podsText(seen.snapshot.host.pods);
  instance.unserved = await askUnserved(controlPlane, { clock, random, pods }, instance.unserved);
  return withUnanswered(seen, instance.unserved?.sentences ?? []);
}

/** Runs the functional checks, unless the last result is still valid. @returns undefined if all checks passed */
async function askUnserved(
  { client }: ControlPlane,
  { clock, random, pods }: Pick<ConvergeTools, 'clock' | 'random'> & { readonly pods: string },
  last: Unserved | undefined,
): Promise<Unserved | undefined> {
  const known = last?.pods === pods ? last : undefined;
  if (known !== undefined && clock.monotonic() < known.nextAt) return known;
  const before = known?.inVain ?? 0;
  const sentences = unansweredOf(await askControlPlane(client, patienceMs(before)));
  if (sentences.length === 0) return undefined;
  const inVain = before + 1;
  const nextAt = clock.monotonic() + spread(askAgainMs(inVain), random);
  return { sentences, inVain, nextAt, pods };
}

function report({ log }: ConvergeTools, instance: Instance, outcome: ActOutcome): void {
  if (outcome.writes === 0) return;
  log.info({ karmada: instance.key, objects: outcome.writes }, 'objects changed');
}
