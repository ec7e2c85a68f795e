/** One pass over an instance that is to be as its spec says: observe, desire, plan, act, tell. */
import type { Archives } from '../archives/archives.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { Templates } from '../components/render.ts';
import type { ExternalEtcds } from '../external-etcd/external-etcds.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import type { ReconcileResult } from '../kubernetes/worker.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import type { PkiInputs } from '../pki/types.ts';
import { act } from './act.ts';
import type { ActOutcome } from './outcome.ts';
import { assess, isComplete, withUnanswered, type Assessment } from './status/assessment.ts';
import { ensureInstanceCertificates } from './certificates/certificates.ts';
import { ControlPlane, fingerprintOf, type Credentials } from './control-plane.ts';
import { keepCopy } from './etcd/etcd-copy.ts';
import { obstacleOf } from './etcd/external-etcd.ts';
import type { Instance, Instances } from './instance.ts';
import { nextLook } from './next-look.ts';
import { observe, type Observation } from './observe.ts';
import { askControlPlane } from './observe-serving.ts';
import { leaderAmong } from './etcd/etcd-leader.ts';
import { introduce } from './introduce.ts';
import { tendMembers } from './members/members.ts';
import { CERTIFICATES_FIRST, planInstance, type Plan } from './plan.ts';
import { etcdWorkload, membersToRestart } from './etcd/plan-etcd.ts';
import type { Problem } from './status/pod-problems.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';
import type { Host, Local } from './host.ts';
import { keepLocalKubeconfig, prepareRemote } from './remote/remote.ts';
import { routeInto } from './ways/route.ts';
import { mustShow, patienceMs, unansweredOf } from './serving.ts';
import { statusOf } from './status/status.ts';
import { currentStatus, writeStatus, type StatusTools } from './status/status-writer.ts';
import { stepStates } from './steps.ts';
import { closedSteps, waysToLookAt } from './ways/ways.ts';
import { lookAtWays } from './ways/look-at-ways.ts';
import { wishOf, type Wish } from './wish.ts';

export interface ConvergeTools extends StatusTools {
  readonly local: Local;
  /** Where the control plane of the pass is. */
  readonly host: Host;
  readonly instances: Instances;
  readonly archives: Pick<Archives, 'of' | 'forget'>;
  readonly etcds: Pick<ExternalEtcds, 'of' | 'again' | 'forget'>;
  readonly templates: Templates;
  readonly keys: KeyGenerator;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What the operator calls itself inside control planes. */
  readonly userAgent: string;
  /** Asks for another pass over an instance. */
  readonly enqueue: (key: string) => void;
}

/** @returns when to look again, or the first error that may be better at the next attempt; it is in the status */
export async function converge(
  tools: ConvergeTools,
  instance: Instance,
  karmada: Karmada,
): Promise<ReconcileResult> {
  const observation = await observe(tools, instance, karmada);
  const { snapshot, view, problem } = await begin(tools, instance, observation);
  const { name } = karmada.metadata;
  const { host } = tools;
  const wish = view && wishOf(tools.templates, instance, snapshot, view);
  const plan = wish ? await planOf(tools, instance, snapshot, wish) : CERTIFICATES_FIRST;
  const outcome = await act({ instance, name, host, controlPlane: instance.controlPlane }, plan);
  tendMembers(tools, instance, snapshot);
  if (host.remote !== undefined) await keepLocalKubeconfig(tools, host, snapshot);
  const before = currentStatus(instance, karmada);
  const seen = assess({
    snapshot,
    desired: wish?.desired,
    view,
    plan,
    outcome,
    certificateProblem: problem,
  });
  const assessment = await shown(instance, seen, before);
  const next = isUntold(assessment, before) ? before : statusOf(assessment, before);
  const left = await writeStatus(tools, instance, karmada, next);
  report(tools, instance, outcome);
  const [error] = outcome.errors;
  if (error !== undefined) return { error };
  return { requeueAfterMs: nextLook(tools, instance, assessment, left) };
}

interface Begun extends Certificates {
  readonly snapshot: Snapshot;
}

/** What comes before all else. Nothing is made of a new instance whose external etcd has not shown that it serves. */
async function begin(
  tools: ConvergeTools,
  instance: Instance,
  { snapshot: observed, pki }: Observation,
): Promise<Begun> {
  const { host, templates } = tools;
  const { karmada } = observed;
  if (host.remote !== undefined) await prepareRemote(tools, host, observed);
  const found = await keepCopy(tools, instance.key, observed);
  if (obstacleOf(found) !== undefined) return { snapshot: found };
  const { name } = karmada.metadata;
  const introduction = { instance, name, host, controlPlane: undefined };
  const snapshot = await introduce(introduction, templates, found);
  return { snapshot, ...(await currentCertificates(tools, instance, snapshot, pki)) };
}

/** What was seen, and, before an instance is called ready, whether it serves. */
async function shown(
  instance: Instance,
  seen: Assessment,
  before: KarmadaStatus,
): Promise<Assessment> {
  const { controlPlane } = instance;
  const { generation } = seen.snapshot.karmada.metadata;
  if (controlPlane === undefined || !isComplete(seen) || !mustShow(before, generation)) return seen;
  const { inVain = 0 } = instance;
  const unanswered = unansweredOf(await askControlPlane(controlPlane.client, patienceMs(inVain)));
  instance.inVain = unanswered.length === 0 ? 0 : inVain + 1;
  return withUnanswered(seen, unanswered);
}

/**
 * Whether a ready instance has merely not been read to the end, as after a restart of the operator: to
 * know nothing yet is no reason to say that it is not ready.
 */
function isUntold({ snapshot, problem }: Assessment, before: KarmadaStatus): boolean {
  const ready = before.conditions?.find(({ type }) => type === 'Ready');
  const unread = snapshot.controlPlane.state === 'syncing' || 'pending' in snapshot.archive;
  return (
    unread &&
    problem === undefined &&
    ready?.status === 'True' &&
    ready.observedGeneration === snapshot.karmada.metadata.generation
  );
}

interface Certificates {
  readonly view?: CertificatesView;
  readonly problem?: Problem;
}

/** What the certificates are after they were read and renewed, should that be due. */
async function currentCertificates(
  tools: ConvergeTools,
  instance: Instance,
  snapshot: Snapshot,
  pki: PkiInputs,
): Promise<Certificates> {
  const { certificates } = snapshot;
  if (certificates.state === 'valid') return { view: certificates.view };
  const result = await ensureInstanceCertificates(tools, pki, snapshot);
  if (result.outcome === 'held')
    return { problem: result.problem, ...(certificates.last && { view: certificates.last }) };
  instance.certificates = result.memo;
  await connect(tools, instance, result.credentials);
  return { view: result.memo.view };
}

/** Opens the way into the control plane, or keeps the one that is open with the same credentials. */
async function connect(
  tools: ConvergeTools,
  instance: Instance,
  credentials: Credentials,
): Promise<void> {
  const before = instance.controlPlane;
  if (before?.fingerprint === fingerprintOf(credentials)) return;
  const { clock, random, log, userAgent, enqueue } = tools;
  const onChange = (): void => enqueue(instance.key);
  const exposed = (): string | undefined => instance.certificates?.view.externalServer;
  const route = routeInto(tools.host, instance.key, exposed);
  const options = { clock, random, log, userAgent, onChange, route };
  instance.controlPlane = new ControlPlane(credentials, options);
  await before?.close();
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
  const restarts = membersToRestart(etcdWorkload(snapshot), snapshot.host.pods);
  const etcdLeader = restarts.length > 1 ? await leaderAmong(restarts, host.remote) : undefined;
  const input = { snapshot, desired: wish, states, holds, closed };
  return planInstance({ ...input, ...(etcdLeader && { etcdLeader }) }, view);
}

function report({ log }: ConvergeTools, instance: Instance, outcome: ActOutcome): void {
  if (outcome.writes === 0) return;
  log.info({ karmada: instance.key, objects: outcome.writes }, 'objects changed');
}
