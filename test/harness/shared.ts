/** Name of the cluster that all end-to-end suites share. */
export const sharedCluster = process.env['KARMADA_TEST_CLUSTER'] ?? 'e2e';
