/** Limits of a namespace in the caches of a cluster: pure. */
import type { Amount } from './amount.ts';

const MIB = 1_048_576;

/** A limit, and what each Karmada object of the namespace adds to it. */
interface Limit extends Amount {
  readonly perKarmada: Amount;
}

/**
 * Limits of a namespace. The objects of a control plane take about 0.1 MiB in the caches and 1 MiB as text, and its
 * installation causes 2 MiB of watch events. An estimator adds four objects with 9 KiB for each member cluster, so that
 * one control plane may have 3,000. 2 MiB of watch events per
 * second need about 3 % of a processor core.
 */
export interface QuotaLimits {
  /** Objects in all caches. */
  readonly cached: Limit;
  /** Text of one list, and its text and objects in all namespaces together. */
  readonly listed: Limit & { readonly all: number; readonly allObjects: number };
  /** Text of the watch events of all caches within a window, and that of all namespaces together. */
  readonly watched: Limit & { readonly all: number; readonly windowMs: number };
}

export const QUOTA_LIMITS: QuotaLimits = {
  cached: { bytes: 32 * MIB, objects: 20_000, perKarmada: { bytes: MIB / 2, objects: 200 } },
  listed: {
    bytes: 64 * MIB,
    objects: 50_000,
    perKarmada: { bytes: 4 * MIB, objects: 500 },
    all: 512 * MIB,
    allObjects: 1_000_000,
  },
  watched: {
    bytes: 48 * MIB,
    objects: 20_000,
    perKarmada: { bytes: 8 * MIB, objects: 4_000 },
    all: 120 * MIB,
    windowMs: 60_000,
  },
};

/** Limits in the management cluster, whose lists are at most as long as its etcd is large. */
export const LOCAL_QUOTA_LIMITS: QuotaLimits = {
  ...QUOTA_LIMITS,
  listed: { ...QUOTA_LIMITS.listed, all: 8_192 * MIB },
};

/** Why a namespace is dropped when all caches together need too much memory. */
export const NO_MEMORY = 'most of the memory, and none is left for others';

/**
 * Returns which limit an amount exceeds, as text for messages; undefined if none.
 * @param karmadas number of Karmada objects in the namespace
 */
export function exceeded(
  { bytes, objects }: Amount,
  limit: Limit,
  karmadas: number,
): string | undefined {
  const most = {
    bytes: limit.bytes + limit.perKarmada.bytes * karmadas,
    objects: limit.objects + limit.perKarmada.objects * karmadas,
  };
  if (objects > most.objects) return `${String(most.objects)} objects`;
  return bytes > most.bytes ? `${String(Math.round(most.bytes / MIB))} MiB` : undefined;
}
