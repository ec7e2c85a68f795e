/**
 * Former templates of the etcd StatefulSet that Kubernetes keeps. The Go operator leaves the default, and Kubernetes before
 * 1.33 rejects another value for a StatefulSet that exists (https://github.com/kubernetes/kubernetes/issues/130263).
 */
export const REVISIONS = { own: 3, ofGo: 10 } as const;
