/**
 * Revisions of the Pod templates. A later revision renders other Pods for the same spec. A workload keeps the revision of its
 * Pods until something else in its template changes (`src/features/components/kept-templates.ts`), so that a new version of the operator
 * restarts no Pod of an unchanged Karmada.
 * - 0: the first one
 * - 1: Pods run only on Linux nodes; containers other than etcd, which always did, report the end of their log; components reach
 *   Services without a proxy, and etcd gets no proxy variables
 * - 2: karmada-scheduler and karmada-descheduler mount a client certificate for estimators instead of that of the operator
 */
export type TemplateRevision = 0 | 1 | 2;

export const NEWEST_REVISION: TemplateRevision = 2;

export const ESTIMATOR_CLIENT_REVISION: TemplateRevision = 2;

/** Revisions before the newest, the latest first. */
export const FORMER_REVISIONS: readonly TemplateRevision[] = [1, 0];

/** Whether an input asks for this revision of the Pod templates, or a later one. */
export const isRevision = (
  { revision = NEWEST_REVISION }: { readonly revision?: TemplateRevision },
  least: TemplateRevision,
): boolean => revision >= least;
