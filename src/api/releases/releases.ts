/** Karmada releases whose tables and CRD archives the operator contains. */
import type { ReleaseTable } from './release-table.ts';
import { table as v1_16_0 } from './v1.16.0.generated.ts';
import { table as v1_17_1 } from './v1.17.1.generated.ts';
import { table as v1_18_2 } from './v1.18.2.generated.ts';

export interface KarmadaRelease extends ReleaseTable {
  /** Default tag of kube-apiserver and kube-controller-manager. */
  readonly kubernetesTag: string;
}

/** Default release of a new control plane. */
export const DEFAULT_RELEASE: KarmadaRelease = { ...v1_18_2, kubernetesTag: 'v1.35.4' };

/** Newest first, one for each minor version. */
export const RELEASES: readonly KarmadaRelease[] = [
  DEFAULT_RELEASE,
  { ...v1_17_1, kubernetesTag: 'v1.35.4' },
  { ...v1_16_0, kubernetesTag: 'v1.34.3' },
];

/**
 * Returns the release of the same minor version. Patch releases of a minor version have the same CRDs, flags and
 * feature gates, except for corrections.
 */
export function releaseOfMinor({
  major,
  minor,
}: {
  readonly major: number;
  readonly minor: number;
}): KarmadaRelease | undefined {
  return major === 1 ? RELEASES.find((release) => release.minor === minor) : undefined;
}
