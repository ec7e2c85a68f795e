/** Name of the cluster that all end-to-end suites share; two checkouts that are tested at once need two names. */
export const sharedCluster = process.env['KARMADA_TEST_CLUSTER'] ?? 'e2e';
