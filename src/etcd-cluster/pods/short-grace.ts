/** Pods of API servers that no client needs any more. */
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';

/**
 * Shortened grace period in seconds. The kubelet spends it on the preStop hook, and then waits another two seconds for the process: an API
 * server needs one.
 */
export const SHORT_GRACE_SECONDS = 1;

/** Whether a Pod is deleted, with a grace period that is not longer than the shortened one. */
export const endsSoon = ({
  deletionTimestamp,
  deletionGracePeriodSeconds = 0,
}: ObjectMeta): boolean =>
  deletionTimestamp !== undefined && deletionGracePeriodSeconds <= SHORT_GRACE_SECONDS;
