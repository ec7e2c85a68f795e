/** One pass over an instance that is to be as its spec says: observe, desire, plan, act, tell. */
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
import { tendEtcdMembers, type EtcdMemberTools } from './etcd/etcd-members.ts';
import { withLastingHolds } from './etcd/lasting-holds.ts';
import type { Instance, Instances, Unserved } from './instance.ts';
import { nextLook } from './next-look.ts';
import { observe } from './observe.ts';
import { inTurn, type RolloutTools } from './operator-rollout/in-turn.ts';
import { askControlPlane } from './observe-serving.ts';
import { executorsFor } from './executors.ts';
import { podsText } from './pods-text.ts';
import { memberActions } from './members/members.ts';
import { CERTIFICATES_FIRST, planInstance, type Plan } from './plan.ts';
import type { Snapshot } from './snapshot.ts';
import type { Host, Local } from '../hosts/host.ts';
import { kubeconfigActions } from './remote/remote.ts';
import { askAgainMs, mustShow, patienceMs, unansweredOf } from './serving.ts';
import { readingOf } from './reading.ts';
import { isUnread } from './status/first-look.ts';
import { statusOf } from './status/status.ts';
import { currentStatus, writeStatus, type StatusTools } from './status/status-writer.ts';
import { stepStates } from './steps.ts';
import { closedSteps, waysToLookAt } from './ways/ways.ts';
import { lookAtWays } from './ways/look-at-ways.ts';
import { wishOf, type Wish } from './wish.ts';

export interface ConvergeTools extends StatusTools, RolloutTools, EtcdMemberTools {
  readonly local: Local;
  /** Where the control plane of the pass is. */
  readonly host: Host;
  readonly instances: Instances;
  readonly archives: Pick<Archives, 'of' | 'forget'>;
  readonly etcds: Pick<ExternalEtcds, 'of' | 'again' | 'forget'>;
  readonly secretPolicy: SecretPolicy;
  /** Why the Secret of the host would be refused if it were not in use. */
  readonly secretWarning?: SecretRefusal;
  /** Addresses besides the usual ones that a Karmada may name. */
  readonly addresses: AddressPolicy;
  readonly templates: Templates;
  readonly keys: KeyGenerator;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What the operator calls itself inside control planes. */
  readonly userAgent: string;
  /** Asks for another pass over an instance. */
  readonly enqueue: (key: string) => void;
  /** See `ClientOptions`. */
  readonly term?: AbortSignal;
}

/** @returns when to look again, or the first error that may be better at the next attempt; it is in the status */
export async function converge(
  tools: ConvergeTools,
  instance: Instance,
  karmada: Karmada,
): Promise<ReconcileResult> {
  const observation = await observe(tools, instance, karmada);
  const { snapshot, view, problem } = await begin(tools, instance, observation);
  const before = currentStatus(instance, karmada);
  const { wish, rollout } = inTurn(
    tools,
    instance,
    { snapshot, before },
    view && wishOf(tools.templates, instance, snapshot, view),
  );
  const plan = wish ? await planOf(tools, instance, snapshot, wish) : CERTIFICATES_FIRST;
  const outcome = await carryOut(tools, instance, snapshot, plan);
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

/** Carries the plan out, with what the members and the namespace of the Karmada need. */
async function carryOut(
  tools: ConvergeTools,
  instance: Instance,
  snapshot: Snapshot,
  plan: Plan,
): Promise<ActOutcome> {
  tendEtcdMembers(tools, instance, snapshot);
  return act(executorsFor(tools, instance, snapshot), [
    ...plan.actions,
    ...memberActions(snapshot),
    ...kubeconfigActions(snapshot),
  ]);
}

/** What was seen, and, before an instance is called ready, whether it serves. */
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

/** Asks whether it serves, unless the last answer still counts. @returns undefined when it does */
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

async function planOf(
  { clock, host }: ConvergeTools,
  instance: Instance,
  snapshot: Snapshot,
  { desired: wish, holds, view }: Wish,
): Promise<Plan> {
  const states = stepStates(wish, snapshot);
  // From another cluster nobody sees them.
  const ways = host.remote === undefined ? waysToLookAt(states, snapshot) : [];
  instance.ways = await lookAtWays(instance.ways ?? new Map(), ways, clock);
  const closed = closedSteps(instance.ways);
  return planInstance({ snapshot, desired: wish, states, holds, closed }, view);
}

function report({ log }: ConvergeTools, instance: Instance, outcome: ActOutcome): void {
  if (outcome.writes === 0) return;
  log.info({ karmada: instance.key, objects: outcome.writes }, 'objects changed');
}
