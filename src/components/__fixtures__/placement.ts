/** Settings that decide where Pods run. */
import type { KarmadaSpec } from '../../api/karmada.ts';

/** Fields that components and `podSettings` have in common: for all components, and other ones for two of them. */
export const PLACEMENT: KarmadaSpec = {
  podSettings: [
    {
      nodeSelector: { 'example.com/pool': 'control' },
      tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
                ],
              },
            ],
          },
        },
      },
      priorityClassName: 'control-plane',
      resources: { requests: { cpu: '100m', memory: '256Mi' } },
    },
    { components: ['karmadaWebhook'], priorityClassName: 'system-node-critical' },
  ],
  components: {
    etcd: {
      local: {
        nodeSelector: { 'example.com/pool': 'storage' },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'DoNotSchedule',
          },
        ],
        tolerations: [{ key: 'storage', operator: 'Exists' }],
        priorityClassName: 'storage',
        resources: { requests: { cpu: '2' } },
      },
    },
    karmadaSearch: {
      nodeSelector: {},
      tolerations: [],
      affinity: {},
      priorityClassName: 'system-node-critical',
      resources: {},
    },
    karmadaDescheduler: {},
    karmadaSchedulerEstimator: {},
  },
};
