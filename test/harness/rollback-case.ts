/** An upgrade that fails at one component, and its return. Stub clusters and the embedded cluster have the same cases. */
import { COMPONENT_NAME } from '../../src/api/naming.ts';
import { karmadaReleases, kubernetesReleases } from '../../tools/embedded-cluster/releases.ts';
import { STEP_FAILURES, type StepFailure } from './step-failures.ts';

export const rollbackName = 'karmada';

function kubernetesTags(imageTag: string) {
  return { karmadaAPIServer: { imageTag }, kubeControllerManager: { imageTag } };
}

/** Karmada of the previous release whose failed changes return. @param deadline of a step, in seconds */
export const rollbackKarmada = (namespace: string, deadline: number): object => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name: rollbackName, namespace },
  spec: {
    version: karmadaReleases.previous,
    upgrade: { onFailure: 'Rollback', stepDeadline: `${String(deadline)}s` },
    components: {
      etcd: { local: {} },
      karmadaMetricsAdapter: { replicas: 1 },
      ...kubernetesTags(kubernetesReleases.previous),
    },
  },
});

/** Settings of a component besides those that a failure changes. */
function withSettings(key: StepFailure[0], settings: object, kubernetes: string): object {
  const tags: Readonly<Record<string, object>> = kubernetesTags(kubernetes);
  return { ...tags, [key]: { ...tags[key], ...settings } };
}

/** Patch of the spec: an upgrade that fails. */
export const failingUpgrade = ([key, , settings]: StepFailure): object => ({
  version: karmadaReleases.current,
  components: withSettings(key, settings, kubernetesReleases.current),
});

/** Patch of the spec that takes the upgrade back. */
export function revertOf([key, , settings]: StepFailure): object {
  const back = Object.fromEntries(Object.keys(settings).map((field) => [field, null]));
  const components = withSettings(key, back, kubernetesReleases.previous);
  return { version: karmadaReleases.previous, components };
}

interface Versions {
  readonly karmada: string;
  readonly kubernetes: string;
}

interface RolledBack {
  readonly from: Versions;
  readonly to: Versions;
  readonly step: string;
}

/** `status.upgrade` of a failed upgrade after its return. */
export const rolledBackUpgrade = ([key]: StepFailure): RolledBack => ({
  from: { karmada: karmadaReleases.previous, kubernetes: kubernetesReleases.previous },
  to: { karmada: karmadaReleases.current, kubernetes: kubernetesReleases.current },
  step: COMPONENT_NAME[key],
});

export const rollbackTitle = ([key, what]: StepFailure): string =>
  `rolls an upgrade back that fails at ${key} with ${what}`;

/**
 * Failures of the embedded cluster. Each kind, and the first and the last component of the order are among them; the API server
 * that fails is the one that the clients of the test write to.
 */
const IN_CLUSTER: readonly string[] = [
  'karmadaAPIServer with a failing probe',
  'karmadaAggregatedAPIServer with a failing probe',
  'karmadaWebhook with a bad image',
  'kubeControllerManager with a missing file',
  'karmadaScheduler with a bad flag',
];

export const CLUSTER_FAILURES: readonly StepFailure[] = STEP_FAILURES.filter((failure) =>
  IN_CLUSTER.some((title) => rollbackTitle(failure).endsWith(title)),
);
