/** Writes a status when it has changed, and tells its transitions as Events. */
import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGER, type Karmada, type KarmadaStatus } from '../api/karmada.ts';
import type { Clock } from '../kubernetes/clock.ts';
import { isNotFound } from '../kubernetes/errors.ts';
import type { EventRecorder } from '../kubernetes/events.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { transitions } from './conditions.ts';
import { karmadas, type Host } from './host.ts';
import type { Instance } from './instance.ts';

export interface StatusTools {
  readonly host: Host;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Changes of mere words are written at most this often, in milliseconds. */
const WORDS_EVERY_MS = 1_500;

/** The status as it was last written, should the cache not show it yet. */
export function currentStatus(instance: Instance, karmada: Karmada): KarmadaStatus {
  const memo = instance.status;
  const { uid, resourceVersion } = karmada.metadata;
  if (memo !== undefined && memo.uid === uid && memo.shown === resourceVersion) return memo.status;
  return karmada.status ?? {};
}

/**
 * Writes the status, once at most.
 * @returns milliseconds after which a change of mere words may be written; 0 when nothing is left
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
  const left = (instance.statusAt ?? -Infinity) + WORDS_EVERY_MS - now;
  if (left > 0 && isDeepStrictEqual(essence(before), essence(next))) return left;
  instance.statusAt = now;
  await patchStatus(tools.host, karmada, before, next);
  const { uid = '', resourceVersion = '' } = karmada.metadata;
  instance.status = { uid, shown: resourceVersion, status: next };
  for (const { type, reason, note } of transitions(before.conditions ?? [], next.conditions ?? []))
    tools.events.record({ regarding: regarding(karmada), type, reason, action: 'Reconcile', note });
  return 0;
}

/** The parts without which a reader would be misled. */
function essence({ phase, observedGeneration, conditions, secretRef }: KarmadaStatus): unknown {
  const states = (conditions ?? []).map(({ type, status, observedGeneration: generation }) => [
    type,
    status,
    generation,
  ]);
  const ready = conditions?.find(({ type }) => type === 'Ready')?.reason;
  return { phase, observedGeneration, secretRef, states, ready };
}

/** JSON values only, so that an undefined field equals an absent one. */
const plain = (status: KarmadaStatus): unknown => JSON.parse(JSON.stringify(status));

const regarding = (karmada: Karmada): KubernetesObject => karmada as unknown as KubernetesObject;

async function patchStatus(
  { client }: Host,
  karmada: Karmada,
  before: KarmadaStatus,
  next: KarmadaStatus,
): Promise<void> {
  const { name, namespace = '', uid } = karmada.metadata;
  const gone = Object.keys(before).filter((field) => !(field in next));
  const status = { ...Object.fromEntries(gone.map((field) => [field, null])), ...next };
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER };
  try {
    // The uid makes the API server refuse when another object has this name by now.
    await client.patch(karmadas, { namespace, name }, { metadata: { uid }, status }, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
