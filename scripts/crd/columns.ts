/** Additional printer columns of the `Karmada` kind. */

interface Column {
  readonly name: string;
  readonly type: 'string' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** Columns with a priority above 0 occur only in `kubectl get -o wide`. */
  readonly priority?: number;
}

// kubectl prints a date column as the time since that date, so a future date needs type string.
/** Columns of `kubectl get karmadas`. */
export const columns: readonly Column[] = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Components', type: 'string', jsonPath: '.status.componentsReady' },
  { name: 'Version', type: 'string', jsonPath: '.status.versions.karmada' },
  {
    // Not next to the columns of etcd, whose members are others.
    ...{ name: 'Member-Clusters', type: 'string', priority: 1 },
    jsonPath: '.status.memberClusters.summary',
  },
  { name: 'Etcd', type: 'string', jsonPath: '.status.etcd' },
  {
    ...{ name: 'Etcd-Healthy', type: 'string', priority: 1 },
    jsonPath: '.status.conditions[?(@.type=="EtcdHealthy")].status',
  },
  { name: 'Etcd-Leader', type: 'string', priority: 1, jsonPath: '.status.etcdCluster.leader' },
  { name: 'Cert-Expiry', type: 'string', jsonPath: '.status.certificateExpiry' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  {
    ...{ name: 'Message', type: 'string', priority: 1 },
    jsonPath: '.status.conditions[?(@.type=="Ready")].message',
  },
];
