/**
 * Takes the snapshot for a reconcile: caches of the host cluster, and what each feature adds. Features read live where
 * caches do not suffice.
 */
import type { Facts, ObserveContext, Observers } from '../../actions/observers.ts';
import type { Karmada } from '../../api/karmada.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { hostSnapshotOf } from '../../instance/host-snapshot.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { FEATURES, type FeatureReaders } from './features.ts';

export type ObserveTools = FeatureReaders & { readonly host: Host; readonly clock: Clock };

/** Snapshot for one reconcile, and the inputs of its certificates. */
export interface Observation {
  readonly snapshot: Snapshot;
  readonly pki: PkiInputs;
}

const OBSERVERS: readonly Observers<FeatureReaders>[] = FEATURES.flatMap(
  ({ observers }) => observers ?? [],
);

/** Reads the state of one control plane. Writes nothing. @throws what the read of a feature throws */
export async function observe(
  tools: ObserveTools,
  instance: InstanceCache,
  karmada: Karmada,
): Promise<Observation> {
  const context = { tools, instance };
  await Promise.all(OBSERVERS.map(async ({ probe }) => probe?.(context)));
  const { host, clock } = tools;
  const missingRights = host.rights.missingFor(karmada.metadata.namespace ?? '');
  const there = hostSnapshotOf(host, instance.key);
  const start = { karmada, host: there, now: clock.wall(), missingRights };
  const specified = complete(await specFacts(context, start), ['spec']);
  const read = await atOnce(specified, ({ facts }) => facts?.(context, specified));
  const outside = complete(read, ['controlPlane', 'certificates', 'archive', 'pki']);
  const all = await atOnce(outside, ({ inside }) => inside?.(context, outside));
  const { pki, ...snapshot } = complete(all, ['members']);
  return { snapshot, pki };
}

/** Starts or stops reads of all features in the background. */
export function observeInBackground(
  stage: 'beforePlan' | 'afterPlan',
  context: ObserveContext<FeatureReaders>,
  snapshot: Snapshot,
): void {
  for (const { [stage]: observeLater } of OBSERVERS) observeLater?.(context, snapshot);
}

type Started = Facts & Pick<Snapshot, 'karmada' | 'host' | 'now'>;

async function specFacts(context: ObserveContext<ObserveTools>, start: Started): Promise<Started> {
  let seen = start;
  for (const { spec } of OBSERVERS) seen = { ...seen, ...(await spec?.(context, seen)) };
  return seen;
}

/** Adds what all features read in a stage. */
async function atOnce<S extends Facts>(
  seen: S,
  read: (observers: Observers<ObserveTools>) => Facts | Promise<Facts> | undefined,
): Promise<S> {
  const found = await Promise.all(OBSERVERS.map(async (observers) => read(observers)));
  return found.reduce<S>((all, facts) => ({ ...all, ...facts }), seen);
}

/** Proves to the compiler that features have added these facts. @throws Error if none is registered that reads them */
function complete<S extends Facts, K extends keyof Facts>(
  seen: S,
  keys: readonly K[],
): S & Required<Pick<Facts, K>> {
  if (hasAll(seen, keys)) return seen;
  throw new Error(`no feature observes ${keys.filter((key) => !(key in seen)).join(', ')}`);
}

const hasAll = <S extends Facts, K extends keyof Facts>(
  seen: S,
  keys: readonly K[],
): seen is S & Required<Pick<Facts, K>> => keys.every((key) => seen[key] !== undefined);
