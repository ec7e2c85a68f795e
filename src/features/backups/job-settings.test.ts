import { describe, expect, it } from '@jest/globals';
import type { PodSettings } from '../../api/karmada.ts';
import { restrictedViolations } from '../../components/pod-security.ts';
import type { PodSpec } from '../../components/workload.ts';
import { jobContainer, jobPod } from './job-pod.ts';

const POD = {
  activeDeadlineSeconds: 60,
  initContainers: [jobContainer('take', 'a', [])],
  containers: [jobContainer('compare', 'a', [])],
  volumes: [],
};

const podOf = (podSettings?: readonly PodSettings[]): PodSpec =>
  jobPod({ name: 'nightly-backup' }, { ...POD, ...(podSettings && { podSettings }) })[
    'spec'
  ] as PodSpec;

const EVERYTHING: PodSettings = {
  nodeSelector: { pool: 'control' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'low',
  resources: { requests: { cpu: '100m' } },
  runtimeClassName: 'gvisor',
  hostAliases: [{ ip: '192.0.2.1', hostnames: ['s3.example.com'] }],
  dnsConfig: { searches: ['example.com'] },
  topologySpreadConstraints: [],
  env: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' }],
  podSecurityContext: { fsGroup: 1_000_680_000, supplementalGroups: [5] },
  securityContext: {
    runAsUser: 1_000_680_000,
    runAsGroup: 0,
    privileged: true,
    allowPrivilegeEscalation: true,
    runAsNonRoot: false,
  },
};

describe('jobPod with settings of Pods', () => {
  it.each<[string, readonly PodSettings[] | undefined]>([
    ['there are none', undefined],
    ['they select components only', [{ ...EVERYTHING, components: ['etcd'] }]],
    [
      'their fields are empty',
      [{ nodeSelector: {}, tolerations: [], affinity: {}, dnsConfig: {} }],
    ],
  ])('has its defaults when %s', (_, podSettings) => {
    expect(podOf(podSettings)).toEqual(podOf());
  });

  it('has the settings of entries for all components and for backups', () => {
    const pod = podOf([EVERYTHING, { components: ['backups'], priorityClassName: 'high' }]);
    const { nodeSelector, tolerations, affinity, runtimeClassName, hostAliases, dnsConfig } =
      EVERYTHING;
    expect(pod).toMatchObject({
      nodeSelector: { 'kubernetes.io/os': 'linux', ...nodeSelector },
      ...{ tolerations, affinity, runtimeClassName, hostAliases, dnsConfig },
      priorityClassName: 'high',
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1_000_680_000,
        runAsGroup: 0,
        fsGroup: 1_000_680_000,
        supplementalGroups: [5],
      },
      initContainers: [{ resources: { requests: { cpu: '100m' } } }],
      containers: [{ resources: { requests: { cpu: '100m' } } }],
    });
    expect(pod.containers[0]).not.toHaveProperty('env');
  });

  it('meets the restricted Pod Security Standard with all settings, and never runs as root', () => {
    const root = { ...EVERYTHING, securityContext: { runAsUser: 0, runAsNonRoot: false } };
    for (const settings of [EVERYTHING, root])
      expect(restrictedViolations(podOf([settings]))).toEqual([]);
    expect(podOf([root]).securityContext?.runAsUser).toBe(65_532);
  });
});
