/** Changes of one component that never become ready. */

export type StepFailure = readonly [key: keyof typeof BROKEN, what: string, settings: object];

/** The probe of an API server fails if etcd cannot answer in time. */
const PROBE = ['a failing probe', { 'etcd-readycheck-timeout': '1ns' }] as const;
/** The operator rejects flags with which the probe of another component fails, so such a component exits. */
const EXIT = ['a missing file', { kubeconfig: '/none' }] as const;

/** For each component, a flag that the operator accepts, and with which the component runs in vain or exits. */
const BROKEN = {
  karmadaAPIServer: PROBE,
  karmadaAggregatedAPIServer: PROBE,
  karmadaMetricsAdapter: EXIT,
  karmadaWebhook: EXIT,
  kubeControllerManager: EXIT,
  karmadaControllerManager: EXIT,
  karmadaScheduler: EXIT,
} as const;

/** All failures of each component. The operator blocks an upgrade with a flag that the release lacks, so the value is bad. */
export const STEP_FAILURES: readonly StepFailure[] = Object.entries(BROKEN).flatMap(
  ([key, [what, extraArgs]]) => {
    const component = key as keyof typeof BROKEN;
    return [
      [component, 'a bad image', { imageRepository: 'registry.example.com/none' }] as const,
      [component, 'a bad flag', { extraArgs: { v: 'none' } }] as const,
      [component, what, { extraArgs }] as const,
    ];
  },
);
