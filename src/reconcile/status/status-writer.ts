/** Writes a status when it has changed, and tells its transitions as Events. */
import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGER, type Karmada, type KarmadaStatus } from '../../api/karmada.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import { isNotFound } from '../../kubernetes/errors.ts';
import type { EventRecorder } from '../../kubernetes/events.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { isOlderVersion } from '../../kubernetes/resource-version.ts';
import { transitions } from './conditions.ts';
import { karmadas, type Local } from '../../hosts/host.ts';
import type { Instance } from '../instance.ts';

export interface StatusTools {
  /** The cluster that has the Karmada. */
  readonly local: Pick<Local, 'client'>;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Changes of single components are written together, when they come within this time, in milliseconds. */
const STATES_EVERY_MS = 1_500;
/** Mere words are written after this time, and each time after twice the time, in milliseconds. */
const WORDS_MS = { first: 2_000, longest: 16_000 };

/** The status as it was last written, should the cache not show it yet. */
export function currentStatus(instance: Instance, karmada: Karmada): KarmadaStatus {
  const memo = instance.status;
  const { uid, resourceVersion } = karmada.metadata;
  if (memo !== undefined && memo.uid === uid && isOlderVersion(resourceVersion, memo.written))
    return memo.status;
  return karmada.status ?? {};
}

/**
 * Writes the status, once at most.
 * @returns milliseconds after which a change that can wait may be written; 0 when nothing is left
 */
export async function writeStatus(
  tools: StatusTools,
  instance: Instance,
  karmada: Karmada,
  next: KarmadaStatus,
): Promise<number> {
  const before = currentStatus(instance, karmada);
  if (isDeepStrictEqual(plain(before), plain(next))) return 0;
  const now = tools.clock.monotonic();
  const pace = paceOf(before, next, instance.wordsAfterMs ?? WORDS_MS.first);
  const left = (instance.statusAt ?? -Infinity) + pace.afterMs - now;
  if (left > 0) return left;
  instance.statusAt = now;
  instance.wordsAfterMs = pace.wordsAfterMs;
  const written = await patchStatus(tools.local, karmada, before, next);
  instance.status = { uid: karmada.metadata.uid ?? '', written, status: next };
  for (const { type, reason, note } of transitions(before.conditions ?? [], next.conditions ?? []))
    tools.events.record({ regarding: regarding(karmada), type, reason, action: 'Reconcile', note });
  return 0;
}

/** How long after the last write a status may be written, and mere words after it. */
interface Pace {
  readonly afterMs: number;
  readonly wordsAfterMs: number;
}

/**
 * An install goes through dozens of states. What a reader acts on is written at once, what tells of its progress in
 * fewer and fewer writes, so that a slow machine makes few more of them than a fast one.
 */
export function paceOf(before: KarmadaStatus, next: KarmadaStatus, wordsAfterMs: number): Pace {
  if (!isDeepStrictEqual(essence(before), essence(next)))
    return { afterMs: 0, wordsAfterMs: WORDS_MS.first };
  if (!isDeepStrictEqual(states(before), states(next)))
    return { afterMs: STATES_EVERY_MS, wordsAfterMs };
  return { afterMs: wordsAfterMs, wordsAfterMs: Math.min(2 * wordsAfterMs, WORDS_MS.longest) };
}

/** The parts without which a reader would be misled: a component that fails takes Ready with it. */
function essence({ phase, observedGeneration, conditions, secretRef }: KarmadaStatus): unknown {
  const ready = conditions?.find(({ type }) => type === 'Ready');
  const { status, reason, observedGeneration: generation } = ready ?? {};
  return { phase, observedGeneration, secretRef, status, reason, generation };
}

function states({ conditions }: KarmadaStatus): unknown {
  return conditions?.map(({ type, status, reason, observedGeneration }) => [
    type,
    status,
    reason,
    observedGeneration,
  ]);
}

/** JSON values only, so that an undefined field equals an absent one. */
const plain = (status: KarmadaStatus): unknown => JSON.parse(JSON.stringify(status));

const regarding = (karmada: Karmada): KubernetesObject => karmada as unknown as KubernetesObject;

/** @returns the version of the Karmada that the write made; undefined when there is no such Karmada any more */
async function patchStatus(
  { client }: Pick<Local, 'client'>,
  karmada: Karmada,
  before: KarmadaStatus,
  next: KarmadaStatus,
): Promise<string | undefined> {
  const { name, namespace = '', uid } = karmada.metadata;
  const gone = Object.keys(before).filter((field) => !(field in next));
  const status = { ...Object.fromEntries(gone.map((field) => [field, null])), ...next };
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER };
  try {
    // The uid makes the API server refuse when another object has this name by now.
    const patch = { metadata: { uid }, status };
    const { metadata } = await client.patch(karmadas, { namespace, name }, patch, options);
    return metadata.resourceVersion;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
