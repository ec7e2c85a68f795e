/** Name of the cluster that all end-to-end suites share. */
export const sharedCluster = 'e2e';
