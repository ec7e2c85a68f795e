/** Warnings about unsupported version pairs, and about feature gates that a version does not have. */
import { ifEnabled } from './addon.ts';
import { quoted } from './field-error.ts';
import { KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from './images.ts';
import type { KarmadaSpec } from './karmada.ts';
import { checkControllerManager, checkPair, parseVersion } from './versions.ts';
import type { Subject, Warning, WarningRule } from './warning.ts';
import { allSettings, when } from './warning.ts';

function versionTags({ spec }: Subject): readonly Warning[] {
  return allSettings(spec).flatMap(([key, { imageTag = '' }]) =>
    when(
      parseVersion(imageTag) === undefined,
      'UnknownVersion',
      `spec.components.${key}.imageTag: ${quoted(imageTag)} does not start with a version, so upgrades cannot be checked; use a tag such as v1.17.1.`,
    ),
  );
}

function versionPairs({ spec }: Subject): readonly Warning[] {
  const { karmadaAPIServer, kubeControllerManager, karmadaControllerManager } = spec.components;
  const problems = [
    ...checkPair(karmadaControllerManager.imageTag, karmadaAPIServer.imageTag),
    ...checkControllerManager(karmadaAPIServer.imageTag, kubeControllerManager.imageTag),
  ];
  const remedy = `set spec.components.{${KUBERNETES_COMPONENTS.join(',')}}.imageTag`;
  return problems.map((problem) => ({
    reason: 'UnsupportedVersions',
    message: `${problem.message}; ${remedy}.`,
  }));
}

function mixedVersions({ spec }: Subject): readonly Warning[] {
  const tags = KARMADA_COMPONENTS.flatMap((key) => ifEnabled(spec.components[key])?.imageTag ?? []);
  const minors = new Set(
    tags
      .map(parseVersion)
      .flatMap((version) => (version ? `${version.major}.${version.minor}` : [])),
  );
  const message = `spec.components: Karmada components have different releases (${[...minors].join(', ')}); set the same imageTag for all of them.`;
  return when(minors.size > 1, 'MixedVersions', message);
}

/** Feature gates of Karmada 1.16 and 1.17; the binaries exit at start if an unknown gate is set. */
const KNOWN_GATES: ReadonlySet<string> = new Set([
  'AllAlpha',
  'AllBeta',
  'ContextualLogging',
  'ControllerPriorityQueue',
  'CustomizedClusterResourceModeling',
  'Failover',
  'FederatedQuotaEnforcement',
  'GracefulEviction',
  'LoggingAlphaOptions',
  'LoggingBetaOptions',
  'MultiClusterService',
  'MultiplePodTemplatesScheduling',
  'PriorityBasedScheduling',
  'PropagateDeps',
  'PropagationPolicyPreemption',
  'ResourceQuotaEstimate',
  'StatefulFailoverInjection',
  'WorkloadAffinity',
]);

function featureGates({ spec }: Subject): readonly Warning[] {
  const { karmadaAggregatedAPIServer, karmadaControllerManager, karmadaScheduler } =
    spec.components;
  const places: readonly (readonly [string, KarmadaSpec['featureGates']])[] = [
    ['spec.featureGates', spec.featureGates],
    // Gates of the aggregated API server are not checked: it also accepts those of the Kubernetes server library.
    [
      'spec.components.karmadaControllerManager.featureGates',
      karmadaControllerManager.featureGates,
    ],
    ['spec.components.karmadaScheduler.featureGates', karmadaScheduler.featureGates],
  ];
  const version = parseVersion(karmadaAggregatedAPIServer.imageTag);
  if (!version || version.major !== 1 || ![16, 17].includes(version.minor)) return [];
  return places.flatMap(([field, gates]) => {
    const unknown = Object.keys(gates ?? {}).filter((gate) => !KNOWN_GATES.has(gate));
    const message = `${field}: Karmada 1.${version.minor} has no feature gate ${unknown.map(quoted).join(', ')}, so its components exit at start; remove it.`;
    return when(unknown.length > 0, 'UnknownFeatureGate', message);
  });
}

/** Add-ons whose binaries have no flag `--feature-gates` and exit at start if it is set. */
const WITHOUT_GATES = ['karmadaDescheduler', 'karmadaMetricsAdapter'] as const;

function gatesAsFlag({ spec }: Subject): readonly Warning[] {
  return WITHOUT_GATES.flatMap((key) =>
    when(
      ifEnabled(spec.components[key])?.extraArgs?.['feature-gates'] !== undefined,
      'UnknownFlag',
      `spec.components.${key}.extraArgs: this component has no flag feature-gates, so it exits at start; remove it.`,
    ),
  );
}

export const VERSION_WARNINGS: readonly WarningRule[] = [
  versionTags,
  versionPairs,
  mixedVersions,
  featureGates,
  gatesAsFlag,
];
