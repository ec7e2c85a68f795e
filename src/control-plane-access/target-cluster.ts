/** Cluster that stores the object: host cluster or Karmada control plane. */
export type TargetCluster = 'host' | 'controlPlane';
