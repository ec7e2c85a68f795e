import type { Snapshot } from './snapshot.ts';

/**
 * Whether the installation of the control plane has started: any object other than a Secret exists, or it was Ready
 * once. A NetworkPolicy may be left of an earlier Karmada, whose deletion was not allowed to list it.
 */
export function isBegun({ karmada, host }: Pick<Snapshot, 'karmada' | 'host'>): boolean {
  return (
    karmada.status?.secretRef !== undefined ||
    host.objects.some(({ kind }) => kind !== 'Secret' && kind !== 'NetworkPolicy')
  );
}
