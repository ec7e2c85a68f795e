/** Type of the plan of a restore. */
import type { KarmadaRestoreStatus } from '../../../api/backup/kinds.ts';
import type { Karmada } from '../../../api/karmada.ts';

/** Annotations of the Karmada; `null` removes one. */
export type AnnotationChange = Readonly<Record<string, string | null>>;

export interface RestorePlan {
  /** Status to write before all other changes. */
  readonly status: KarmadaRestoreStatus;
  /** Whether the finalizer must be there: a started restore is withdrawn before its object is deleted. */
  readonly hasFinalizer: boolean;
  /** Changes of the Karmada. The Secret with the configuration must exist before. */
  readonly annotate?: AnnotationChange;
}

export const annotationsOf = (karmada: Karmada | undefined): Readonly<Record<string, string>> =>
  karmada?.metadata.annotations ?? {};
