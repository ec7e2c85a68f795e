/** Changes of one component that never become ready. */

export type StepFailure = readonly [key: keyof typeof PROBED, what: string, settings: object];

/** For each component, a flag with which its probe fails. */
const PROBED = {
  karmadaAPIServer: { 'anonymous-auth': 'false' },
  karmadaAggregatedAPIServer: { 'secure-port': '4444' },
  karmadaMetricsAdapter: { 'secure-port': '4444' },
  karmadaWebhook: { 'secure-port': '4444' },
  kubeControllerManager: { 'secure-port': '9999' },
  karmadaControllerManager: { 'health-probe-bind-address': ':9999' },
  karmadaScheduler: { 'health-probe-bind-address': ':9999' },
} as const;

/** All failures of each component. The operator blocks an upgrade with a flag that the release lacks, so the value is bad. */
export const STEP_FAILURES: readonly StepFailure[] = Object.entries(PROBED).flatMap(
  ([key, extraArgs]) => {
    const component = key as keyof typeof PROBED;
    return [
      [component, 'a bad image', { imageRepository: 'registry.example.com/none' }] as const,
      [component, 'a bad flag', { extraArgs: { v: 'none' } }] as const,
      [component, 'a failing probe', { extraArgs }] as const,
    ];
  },
);
