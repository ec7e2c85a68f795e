const base = process.env['KARMADA_TEST_CLUSTER'] ?? 'e2e';

/** Name of the cluster of one of the parallel test processes, counted from 1. */
export const clusterOf = (worker: number): string =>
  worker === 1 ? base : `${base}-${String(worker)}`;

/** Name of the cluster that the suites of this process share. Two checkouts tested in parallel need two names. */
export const sharedCluster = clusterOf(Number(process.env['JEST_WORKER_ID'] ?? 1));
