/** Karmada releases whose tables and CRD archives the operator contains. */
import type { ReleaseTable } from './release-table.ts';
import { table as v1_16_0 } from './v1.16.0.generated.ts';
import { table as v1_17_1 } from './v1.17.1.generated.ts';
import { table as v1_18_2 } from './v1.18.2.generated.ts';

export interface KarmadaRelease extends ReleaseTable {
  /** Default tag of kube-apiserver and kube-controller-manager. */
  readonly kubernetesTag: string;
  /** Kubernetes minor versions of a control plane. */
  readonly kubernetes: {
    /** Those that the tests of this operator run. */
    readonly tested: readonly number[];
    /** Oldest and newest that the compatibility list of this release ticks (its README). */
    readonly listed: readonly [oldest: number, newest: number];
  };
}

/** Default release of a new control plane. */
export const DEFAULT_RELEASE: KarmadaRelease = {
  ...v1_18_2,
  kubernetesTag: 'v1.35.4',
  kubernetes: { tested: [35], listed: [26, 35] },
};

/** Newest first, one for each minor version. */
export const RELEASES: readonly KarmadaRelease[] = [
  DEFAULT_RELEASE,
  { ...v1_17_1, kubernetesTag: 'v1.35.4', kubernetes: { tested: [34, 35], listed: [26, 35] } },
  { ...v1_16_0, kubernetesTag: 'v1.34.3', kubernetes: { tested: [34], listed: [25, 34] } },
];

/** Oldest Karmada minor version whose archive the operator reads, and whose programs have the flags of the templates. */
export const OLDEST_KARMADA_MINOR = 13;
/** Oldest Kubernetes minor version of a control plane; earlier ones lack APIs that the operator uses. */
export const OLDEST_KUBERNETES_MINOR = 27;

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
