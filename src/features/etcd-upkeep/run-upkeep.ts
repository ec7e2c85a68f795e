/**
 * Maintains the databases of a local etcd in the background, because a defragmentation takes longer than a reconcile
 * may. Each call is decided again from live reads and fresh member responses immediately before it is made.
 */
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import { withEtcd, type EtcdClient, type EtcdTarget } from '../../etcd/client.ts';
import { errorKindOf } from '../../etcd/error-kinds.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import type { Log } from '../../kubernetes/time/clock.ts';
import type { Term } from '../../kubernetes/time/term.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { EventRecorder } from '../../kubernetes/client/events.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import type { MaintainEtcd } from '../../actions/action.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { viewOfPods, type AskMembers } from '../etcd-members/etcd-members.ts';
import { PROOF_MS } from '../etcd-members/read-live.ts';
import { upkeepFacts, type UpkeepObjects } from './facts.ts';
import { NO_MEMO } from '../../instance/upkeep-memo.ts';
import { nextUpkeep, type UpkeepStep } from './next-upkeep.ts';

export interface UpkeepTools {
  readonly client: Pick<KubernetesClient, 'find' | 'list'>;
  readonly instance: Pick<InstanceCache, 'upkeep'>;
  /** Absent while the operator has no client certificate for etcd. */
  readonly ask: AskMembers | undefined;
  /** Connection settings of the members in these Pods, by Pod name. */
  readonly targets: (pods: readonly Pod[]) => ReadonlyMap<string, EtcdTarget>;
  readonly clock: { wall(): number; monotonic(): number };
  readonly log: Log;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Ends with the term of the leader. */
  readonly term?: Pick<Term, 'signal'>;
  /** Queries the members again and requests a reconcile. */
  readonly onDone: () => void;
}

type Work = Exclude<UpkeepStep, { readonly kind: 'none' }>;

/** Rest after an attempt that did nothing, or failed, in milliseconds. */
const REST_MS = { idle: 5_000, failed: 30_000 };
/** Deadline of a call in milliseconds, and its addition for each byte of a database that is defragmented. */
const CALL_MS = 30_000;
const MS_PER_BYTE = 1 / 10_000;

/**
 * Starts the next step in the background, unless one is running.
 * @returns the end of the step, which never rejects; undefined if none was started
 */
export function startUpkeep(
  tools: UpkeepTools,
  snapshot: Snapshot,
  action: MaintainEtcd,
): Promise<void> | undefined {
  const { clock, instance, log, term } = tools;
  if (instance.upkeep?.running !== undefined) return undefined;
  const running = new AbortController();
  const memo = instance.upkeep ?? NO_MEMO;
  instance.upkeep = { ...memo, running };
  const signal = term ? AbortSignal.any([running.signal, term.signal]) : running.signal;
  const end = (restMs: number): void => {
    const { defragmentedAt, compacted } = instance.upkeep ?? NO_MEMO;
    instance.upkeep = {
      defragmentedAt,
      ...(compacted && { compacted }),
      ...(restMs > 0 && { restUntil: clock.wall() + restMs }),
    };
    if (!signal.aborted) tools.onDone();
  };
  return runOnce(tools, snapshot, { action, signal }).then(
    (isDone) => end(isDone ? 0 : REST_MS.idle),
    (error: unknown) => {
      const { name, namespace = '' } = snapshot.karmada.metadata;
      const fields = { karmada: `${namespace}/${name}`, error: errorText(error) };
      log.warn(fields, 'maintenance of etcd failed, will retry');
      end(REST_MS.failed);
    },
  );
}

interface Run {
  readonly action: MaintainEtcd;
  readonly signal: AbortSignal;
}

/** @returns whether a call was made */
async function runOnce(tools: UpkeepTools, snapshot: Snapshot, run: Run): Promise<boolean> {
  const { clock } = tools;
  const askedAt = clock.monotonic();
  const objects = await readLive(tools, snapshot, run.action);
  if (objects === undefined) return false;
  const memo = tools.instance.upkeep ?? NO_MEMO;
  const step = nextUpkeep(upkeepFacts(snapshot, objects, memo, clock.wall()));
  if (step.kind === 'none' || clock.monotonic() - askedAt > PROOF_MS) return false;
  const target = tools.targets(objects.pods).get(step.pod);
  if (target === undefined || run.signal.aborted) return false;
  rememberAttempt(tools, step);
  const deadline = CALL_MS + (step.kind === 'defragment' ? Number(step.size) * MS_PER_BYTE : 0);
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(Math.ceil(deadline))]);
  const message = await withEtcd(target, signal, (client) => send(client, step));
  rememberSuccess(tools, step);
  report(tools, snapshot, step, message);
  return true;
}

/** Records a defragmentation before it is made, so that a failing one is not repeated at once. */
function rememberAttempt({ instance, clock }: UpkeepTools, step: Work): void {
  if (step.kind !== 'defragment') return;
  const memo = instance.upkeep ?? NO_MEMO;
  const attempt = [step.memberId, clock.wall()] as const;
  instance.upkeep = { ...memo, defragmentedAt: new Map([...memo.defragmentedAt, attempt]) };
}

/** Records a compaction after it was made, because the members are defragmented only then. */
function rememberSuccess({ instance, clock }: UpkeepTools, step: Work): void {
  if (step.kind !== 'compact') return;
  const compacted = { revision: step.revision, at: clock.wall() };
  instance.upkeep = { ...(instance.upkeep ?? NO_MEMO), compacted };
}

/** @returns what was done, for log and Event */
async function send(client: EtcdClient, step: Work): Promise<string> {
  switch (step.kind) {
    case 'defragment': {
      const before = await client.status();
      await client.defragment();
      const after = await client.status();
      return `etcd: ${step.pod} defragmented, its database has ${mebibytes(after.dbSize)} instead of ${mebibytes(before.dbSize)}`;
    }
    case 'compact': {
      await client.compact(step.revision).catch((error: unknown) => {
        if (errorKindOf(error) !== 'compacted') throw error;
      });
      return `etcd: compacted up to revision ${step.revision}, because the API servers cannot compact while the alarm NOSPACE is armed`;
    }
    case 'disarm': {
      for (const memberId of step.memberIds)
        await client.disarmAlarm({ memberId, alarm: 'NOSPACE' });
      return 'etcd: alarm NOSPACE disarmed, because all databases are below 80% of their quota; etcd accepts writes again';
    }
  }
}

const mebibytes = (bytes: string): string => `${String(BigInt(bytes) >> 20n)} MiB`;

const REASON: Readonly<Record<Work['kind'], Reason>> = {
  defragment: 'EtcdDefragmented',
  compact: 'EtcdCompacted',
  disarm: 'EtcdAlarmDisarmed',
};

function report(
  { log, events }: UpkeepTools,
  { karmada }: Snapshot,
  step: Work,
  note: string,
): void {
  const { name, namespace = '' } = karmada.metadata;
  log.info({ karmada: `${namespace}/${name}`, step: step.kind }, note);
  const regarding = karmada;
  events.record({ regarding, type: 'Normal', reason: REASON[step.kind], action: 'Maintain', note });
}

/** Reads StatefulSet and Pods, and queries the members. @returns undefined if the StatefulSet is another one */
async function readLive(
  { client, ask, clock }: UpkeepTools,
  { karmada }: Snapshot,
  { statefulSet: { metadata } }: MaintainEtcd,
): Promise<UpkeepObjects | undefined> {
  const { namespace = '', name, uid, generation } = metadata;
  const labelSelector = `${COMPONENT}=etcd,${INSTANCE}=${karmada.metadata.name}`;
  const [statefulSet, { items: pods }] = await Promise.all([
    client.find(resources.StatefulSet, { namespace, name }),
    client.list(resources.Pod, { namespace, labelSelector }),
  ]);
  const isSame =
    statefulSet?.metadata.uid === uid && statefulSet?.metadata.generation === generation;
  if (statefulSet === undefined || !isSame) return undefined;
  const results = ask === undefined ? [] : await ask(pods);
  return { statefulSet, pods, view: viewOfPods(results, pods, clock.wall()) };
}
