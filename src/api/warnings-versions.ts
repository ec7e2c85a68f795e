/** Warnings about unsupported version pairs, and about flags and feature gates that a release does not have. */
import { ifEnabled } from './addon.ts';
import { quoted } from './field-error.ts';
import { KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from './images.ts';
import { unknownArguments } from './unknown-arguments.ts';
import { checkControllerManager, checkPair, parseVersion } from './versions.ts';
import type { Subject, Warning, WarningRule } from './warning.ts';
import { allSettings, when } from './warning.ts';

function versionTags({ spec }: Subject): readonly Warning[] {
  return allSettings(spec).flatMap(([key, { imageTag = '' }]) =>
    when(
      parseVersion(imageTag) === undefined,
      'UnknownVersion',
      `spec.components.${key}.imageTag: ${quoted(imageTag)} does not start with a version, so upgrades cannot be checked; use a tag such as v1.18.2.`,
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

/** One warning for each flag and feature gate, although several components read `spec.featureGates`. */
function unknownArgumentsOf({ spec }: Subject): readonly Warning[] {
  const found = unknownArguments(spec).map((one) => [`${one.field}.${one.name}`, one] as const);
  return [...new Map(found.toReversed()).values()]
    .reverse()
    .map(({ reason, message }) => ({ reason, message: `${message}.` }));
}

export const VERSION_WARNINGS: readonly WarningRule[] = [
  versionTags,
  versionPairs,
  mixedVersions,
  unknownArgumentsOf,
];
