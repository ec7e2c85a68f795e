import { isDeepStrictEqual } from 'node:util';
import {
  API_VERSION,
  FIELD_MANAGER,
  KIND,
  PLURAL,
  type Condition,
  type Karmada,
} from './api/karmada.ts';
import type { Clock, Log, Random } from './kubernetes/clock.ts';
import type { KubernetesClient } from './kubernetes/contract.ts';
import { Informer } from './kubernetes/informer.ts';
import { keyOf, keyText, namespacedType, type ObjectKey } from './kubernetes/resources.ts';
import type { Reconciler } from './reconciler.ts';

export interface AnnouncerOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Version of the operator, for the condition's text. */
  readonly version: string;
}

/** Type of the custom resource. */
export const karmadas = namespacedType(API_VERSION, KIND, PLURAL);

function parseKey(key: string): ObjectKey {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

/**
 * The condition that says what this version does with a Karmada.
 * @param now wall clock in milliseconds, for a condition that changes
 */
export function announcement(karmada: Karmada, version: string, now: number): Condition {
  const wanted = {
    type: 'Ready',
    status: 'False' as const,
    reason: 'NotImplemented',
    message: `karmada-operator ${version} has seen this object; it does not install control planes yet`,
    observedGeneration: karmada.metadata.generation ?? 0,
  };
  const before = karmada.status?.conditions?.find(({ type }) => type === wanted.type);
  const kept = before !== undefined && before.status === wanted.status;
  const lastTransitionTime = kept
    ? before.lastTransitionTime
    : new Date(now).toISOString().replace(/\.\d+/, '');
  return { ...wanted, lastTransitionTime };
}

/** Watches Karmada objects and tells in their status that they were seen; writes only what has changed. */
export function createAnnouncer(options: AnnouncerOptions): Reconciler {
  const { client, clock, version } = options;
  const informer = new Informer({ ...options, type: karmadas });
  return {
    synced: informer.synced,
    isSynced: () => informer.hasSynced,
    start(queue) {
      informer.onChange(({ object }) => queue.add(keyText(keyOf(object))));
      informer.start();
    },
    async reconcile(key, signal) {
      const karmada = informer.cache.get(parseKey(key)) as Karmada | undefined;
      if (karmada === undefined || karmada.metadata.deletionTimestamp !== undefined) return {};
      const condition = announcement(karmada, version, clock.wall());
      const status = { observedGeneration: condition.observedGeneration, conditions: [condition] };
      if (isDeepStrictEqual(status, karmada.status)) return {};
      const { name, namespace } = karmada.metadata;
      const object = { apiVersion: API_VERSION, kind: KIND, metadata: { name, namespace }, status };
      await client.apply(object, {
        fieldManager: FIELD_MANAGER,
        force: true,
        subresource: 'status',
        signal,
      });
      return {};
    },
    stop: () => informer.stop(),
  };
}
