/** One pass over an instance that is to be as its spec says: observe, desire, plan, act, tell. */
import type { Archives } from '../archives/archives.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { Templates } from '../components/render.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import { sha256 } from '../kubernetes/intent.ts';
import type { ReconcileResult } from '../kubernetes/worker.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import type { PkiInputs } from '../pki/types.ts';
import { act, type ActOutcome } from './act.ts';
import { assess, isComplete, withUnanswered, type Assessment } from './assessment.ts';
import { ensureInstanceCertificates } from './certificates.ts';
import { ControlPlane, fingerprintOf, type Credentials } from './control-plane.ts';
import { desired, type Desired } from './desired.ts';
import type { Instance, Instances } from './instance.ts';
import { CACHE_GRACE_MS, changedSecret, observe } from './observe.ts';
import { askControlPlane } from './observe-serving.ts';
import { estimatorTargets } from './estimators.ts';
import { tendMembers } from './members.ts';
import { CERTIFICATES_FIRST, planInstance, type Hold, type Plan } from './plan.ts';
import { replicasHold, runningMembership } from './plan-etcd.ts';
import type { Problem } from './pod-problems.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';
import { ownedBy } from './host.ts';
import { podRoute } from './route.ts';
import { askAgainMs, mustShow, unansweredOf } from './serving.ts';
import { statusOf } from './status.ts';
import { currentStatus, writeStatus, type StatusTools } from './status-writer.ts';
import { stepStates } from './steps.ts';
import type { EtcdMembership } from '../components/component.ts';
import { instanceName } from '../api/naming.ts';

export interface ConvergeTools extends StatusTools {
  readonly instances: Instances;
  readonly archives: Pick<Archives, 'of' | 'forget'>;
  readonly templates: Templates;
  readonly keys: KeyGenerator;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What the operator calls itself inside control planes. */
  readonly userAgent: string;
  /** Called when an instance needs nothing more: time for what can be done ahead. */
  readonly onIdle: () => void;
  /** Asks for another pass over an instance. */
  readonly enqueue: (key: string) => void;
}

/** @throws the first error that may be better at the next attempt, after it is in the status */
export async function converge(
  tools: ConvergeTools,
  instance: Instance,
  karmada: Karmada,
): Promise<ReconcileResult> {
  const { snapshot, pki } = await observe(tools, instance, karmada);
  const { view, problem } = await currentCertificates(tools, instance, snapshot, pki);
  const wish = view && wishOf(tools, instance, snapshot, view);
  const plan = wish && view ? planOf(snapshot, wish, view) : CERTIFICATES_FIRST;
  const { name } = karmada.metadata;
  const { host } = tools;
  const outcome = await act({ instance, name, host, controlPlane: instance.controlPlane }, plan);
  tendMembers(tools, instance, snapshot);
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
  if (assessment.unfinished.length === 0) tools.onIdle();
  const [error] = outcome.errors;
  if (error !== undefined) throw asError(error);
  return { requeueAfterMs: nextLook(tools, instance, assessment, left) };
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
  const unanswered = unansweredOf(await askControlPlane(controlPlane.client));
  instance.inVain = unanswered.length === 0 ? 0 : (instance.inVain ?? 0) + 1;
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
  const route = podRoute(() => ownedBy([tools.host.pods], instance.key));
  const options = { clock, random, log, userAgent, onChange, route };
  instance.controlPlane = new ControlPlane(credentials, options);
  await before?.close();
}

interface Wish {
  readonly desired: Desired;
  readonly holds: readonly Hold[];
}

/** Everything that should exist; rendered anew only when something it is made from has changed. */
function wishOf(
  { templates }: ConvergeTools,
  instance: Instance,
  snapshot: Snapshot,
  view: CertificatesView,
): Wish {
  const { karmada, spec } = snapshot;
  const { name, namespace = '' } = karmada.metadata;
  const membership = etcdMembership(snapshot);
  const archive = 'archive' in snapshot.archive ? snapshot.archive.archive : NO_CRDS;
  const estimators = estimatorTargets(snapshot);
  const { caBundle, restartHashes, externalServer } = view;
  const known = [name, namespace, spec, membership, caBundle, restartHashes];
  const inputs = sha256(JSON.stringify([...known, estimators, externalServer]));
  const rendered =
    instance.rendered?.inputs === inputs && instance.rendered.archive === archive
      ? instance.rendered.desired
      : desired(templates, {
          name,
          namespace,
          spec,
          archive,
          certificates: view,
          estimators,
          ...(membership && { etcdMembership: membership }),
        });
  instance.rendered = { inputs, archive, desired: rendered };
  const hold = replicasHold(membership, spec.components.etcd.local?.replicas);
  return { desired: rendered, holds: hold ? [hold] : [] };
}

const NO_CRDS = { crds: [], problems: [] };

function etcdMembership({ karmada, host }: Snapshot): EtcdMembership | undefined {
  const name = instanceName(karmada.metadata.name, 'etcd');
  return runningMembership(
    host.objects.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === name),
  );
}

function planOf(snapshot: Snapshot, { desired: wish, holds }: Wish, view: CertificatesView): Plan {
  const states = stepStates(wish, snapshot);
  return planInstance({ snapshot, desired: wish, states, holds }, view);
}

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

function report({ log }: ConvergeTools, instance: Instance, outcome: ActOutcome): void {
  if (outcome.writes === 0) return;
  log.info({ karmada: instance.key, objects: outcome.writes }, 'objects changed');
}

const RESYNC_MS = 600_000;
/** While an instance is not ready, its pods are looked at again after this time even without events. */
const UNREADY_MS = 15_000;
/** A control plane that has pods and does not answer is asked again soon. */
const ASK_AGAIN_MS = 250;

/** When to look again if nothing happens, in milliseconds. */
function nextLook(
  { clock, random }: ConvergeTools,
  instance: Instance,
  { snapshot, view, unfinished }: Assessment,
  statusLeft: number,
): number {
  const memo = instance.certificates;
  const secrets = snapshot.host.objects.filter(({ kind }) => kind === 'Secret');
  const unsure = memo !== undefined && changedSecret(memo, secrets) !== undefined;
  const candidates = [
    RESYNC_MS * (1 + random() / 5),
    ...(unfinished.length > 0 ? [UNREADY_MS] : []),
    ...(unfinished.some(({ step }) => step === 'serving')
      ? [askAgainMs(instance.inVain ?? 1)]
      : []),
    ...(snapshot.controlPlane.ask === true ? [ASK_AGAIN_MS] : []),
    ...(view ? [Math.max(1_000, view.checkAt - clock.wall())] : []),
    ...(unsure ? [CACHE_GRACE_MS] : []),
    ...(statusLeft > 0 ? [statusLeft] : []),
  ];
  return Math.min(...candidates);
}
