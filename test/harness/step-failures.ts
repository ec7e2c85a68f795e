/** Changes of one component that never become ready. Stub clusters and the embedded cluster use the same ones. */

/** Values of the settings. */
export const BROKEN_SETTINGS = {
  image: 'registry.example.com/none',
  verbosity: 'none',
  kubeconfig: '/none',
  etcdTimeout: '1ns',
} as const;

type Kind = 'a bad image' | 'a bad flag' | 'a failing probe' | 'a missing file';

export type StepFailure = readonly [key: keyof typeof BROKEN, what: Kind, settings: object];

/** The probe of an API server fails if etcd cannot answer in time. */
const PROBE = [
  'a failing probe',
  { 'etcd-readycheck-timeout': BROKEN_SETTINGS.etcdTimeout },
] as const;
/** The operator rejects flags with which the probe of another component fails, so such a component exits. */
const EXIT = ['a missing file', { kubeconfig: BROKEN_SETTINGS.kubeconfig }] as const;

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
      [component, 'a bad image', { imageRepository: BROKEN_SETTINGS.image }] as const,
      [component, 'a bad flag', { extraArgs: { v: BROKEN_SETTINGS.verbosity } }] as const,
      [component, what, { extraArgs }] as const,
    ];
  },
);

/** Reasons with which stub clusters report these failures. Only Events, which they lack, report a failing probe. */
export const REASON_OF: Readonly<Record<Kind, string>> = {
  'a bad image': 'ImagePullFailed',
  'a bad flag': 'FlagRejected',
  'a missing file': 'FileMissing',
  'a failing probe': 'Progressing',
};
