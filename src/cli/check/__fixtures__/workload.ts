import type { Workload } from '../../../components/workload.ts';

/** A workload with one container. @param more fields of its spec */
export const workload = (replicas: number, resources: object, more: object = {}): Workload => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'demo-etcd', namespace: 'team' },
  spec: {
    replicas,
    selector: { matchLabels: {} },
    template: {
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { containers: [{ name: 'etcd', resources: resources as never }] },
    },
    ...more,
  },
});
