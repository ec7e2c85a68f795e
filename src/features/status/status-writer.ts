/** Writes a changed status, rate-limited, and reports its transitions as Events. */
import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGER, type Karmada, type KarmadaStatus } from '../../api/karmada.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { isNotFound } from '../../kubernetes/client/errors.ts';
import type { EventRecorder } from '../../kubernetes/client/events.ts';
import { mergePatch } from '../../kubernetes/objects/merge-patch.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { predates } from '../../kubernetes/objects/resource-version.ts';
import { transitions } from '../../conditions/conditions.ts';
import { karmadas, type ManagementCluster } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { BACKUP_STEP } from '../../instance/upgrade-backup.ts';

export interface StatusTools {
  /** Management cluster, which stores the Karmada. */
  readonly local: Pick<ManagementCluster, 'client'>;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Label of an Event: whose fault it reports. */
const FAULT_CLASS = 'operator.karmada.io/fault-class';

/** Shortest time between two writes that change only conditions of components, in milliseconds. */
const STATES_EVERY_MS = 1_500;
/** Shortest time between two writes that change only messages, in milliseconds. It doubles with each write. */
const MESSAGE_BACKOFF_MS = { first: 2_000, longest: 16_000 };

/** Returns the status that was written last, if the cache is still older, and otherwise the cached one. */
export function currentStatus(instance: InstanceCache, karmada: Karmada): KarmadaStatus {
  const memo = instance.status;
  if (memo !== undefined && predates(karmada.metadata, memo)) return memo.status;
  return karmada.status ?? {};
}

/**
 * Writes the status with at most one request, and records Events for its transitions.
 * @returns milliseconds until a delayed change may be written; 0 if nothing is left to write
 * @throws ApiError, NetworkError
 */
export async function writeStatus(
  tools: StatusTools,
  instance: InstanceCache,
  karmada: Karmada,
  next: KarmadaStatus,
): Promise<number> {
  const before = currentStatus(instance, karmada);
  if (isDeepStrictEqual(plain(before), plain(next))) return 0;
  const now = tools.clock.monotonic();
  const pace = paceOf(before, next, instance.messageBackoffMs ?? MESSAGE_BACKOFF_MS.first);
  const left = (instance.statusAt ?? -Infinity) + pace.afterMs - now;
  if (left > 0) return left;
  instance.statusAt = now;
  instance.messageBackoffMs = pace.messageBackoffMs;
  const written = await patchStatus(tools.local, karmada, before, next);
  instance.status = { uid: karmada.metadata.uid ?? '', written, status: next };
  for (const { fault, ...event } of transitions(before.conditions ?? [], next.conditions ?? [])) {
    const labels = fault && { labels: { [FAULT_CLASS]: fault } };
    tools.events.record({
      regarding: regarding(karmada),
      action: 'Reconcile',
      ...event,
      ...labels,
    });
  }
  return 0;
}

/** Milliseconds between the last write and this one, and the next interval for changes of messages alone. */
interface Pace {
  readonly afterMs: number;
  readonly messageBackoffMs: number;
}

/**
 * Returns how soon a changed status is written. An installation passes through dozens of states. Changes that a reader
 * acts on are written at once; progress messages use exponential backoff, which bounds the number of writes.
 */
export function paceOf(before: KarmadaStatus, next: KarmadaStatus, messageBackoffMs: number): Pace {
  if (!isDeepStrictEqual(immediateFields(before), immediateFields(next)))
    return { afterMs: 0, messageBackoffMs: MESSAGE_BACKOFF_MS.first };
  if (!isDeepStrictEqual(states(before), states(next)))
    return { afterMs: STATES_EVERY_MS, messageBackoffMs };
  return {
    afterMs: messageBackoffMs,
    messageBackoffMs: Math.min(2 * messageBackoffMs, MESSAGE_BACKOFF_MS.longest),
  };
}

/** Fields that are written at once. A component that fails changes Ready too. */
function immediateFields(given: KarmadaStatus): unknown {
  const { phase, observedGeneration, conditions, secretRef, upgrade = {} } = given;
  const ready = conditions?.find(({ type }) => type === 'Ready');
  const { status, reason, observedGeneration: generation } = ready ?? {};
  // The deadline of a step counts from the time in the status.
  const { phase: progress, startedAt, step } = upgrade;
  const timed = progress && { progress, startedAt, step };
  // An upgrade to the next release starts when the status contains it.
  const release = upgrade.to?.karmada;
  // The backup of an upgrade is needed only until its first step.
  const backup = { name: upgrade.backup, isAwaited: step === BACKUP_STEP };
  const state = { status, reason, generation };
  const identities = decidedIdentities(given);
  return { phase, observedGeneration, secretRef, state, release, timed, backup, identities };
}

/** A certificate changes when the status contains the decision. A component that fails would wait for it. */
const decidedIdentities = ({
  componentIdentities: { trial, refused = [] } = {},
}: KarmadaStatus): unknown => [trial?.component, ...refused.map(({ component }) => component)];

function states({ conditions = [], componentIdentities }: KarmadaStatus): unknown {
  const { readySince, downSince } = componentIdentities?.trial ?? {};
  const all = conditions.map(({ type, status, reason, observedGeneration }) => [
    type,
    status,
    reason,
    observedGeneration,
  ]);
  // The time of a trial counts from the one in the status.
  return [all, readySince, downSince];
}

/** Drops undefined fields, so that they equal absent ones. */
const plain = (status: KarmadaStatus): unknown => JSON.parse(JSON.stringify(status));

const regarding = (karmada: Karmada): KubernetesObject => karmada;

/** @returns resourceVersion after the write; undefined if the Karmada no longer exists */
async function patchStatus(
  { client }: Pick<ManagementCluster, 'client'>,
  karmada: Karmada,
  before: KarmadaStatus,
  next: KarmadaStatus,
): Promise<string | undefined> {
  const { name, namespace = '', uid } = karmada.metadata;
  const status = mergePatch({ ...before }, { ...next });
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER };
  try {
    // With the uid the API server rejects the patch if a new object has this name.
    const patch = { metadata: { uid }, status };
    const { metadata } = await client.patch(karmadas, { namespace, name }, patch, options);
    return metadata.resourceVersion;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
