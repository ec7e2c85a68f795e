/** Warnings about unsupported version pairs, and about flags and feature gates that a release does not have. */
import { ifEnabled } from '../addon.ts';
import { quoted } from '../validation/field-error.ts';
import { DEFAULT_ETCD_TAG, KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from '../images.ts';
import { messagesOf, unknownArguments, type UnknownArguments } from '../flags/unknown-arguments.ts';
import { DEFAULT_RELEASE, RELEASES } from '../releases/releases.ts';
import type { Versions } from '../karmada.ts';
import {
  checkControllerManager,
  checkPair,
  karmadaReleaseOf,
  parseVersion,
  productVersion,
  supportOf,
} from '../versions/versions.ts';
import type { Subject, Warning, WarningRule } from './warning.ts';
import { allSettings, when } from './warning.ts';

function versionTags({ spec }: Subject): readonly Warning[] {
  return allSettings(spec).flatMap(([key, { imageTag = '' }]) => {
    const product = productOf(key);
    return when(
      productVersion(product, imageTag) === undefined,
      'UnknownVersion',
      `spec.components.${key}.imageTag: ${quoted(imageTag)} does not start with a version of ${PRODUCTS[product].name}, so upgrades cannot be checked; use a tag such as ${PRODUCTS[product].example}.`,
    );
  });
}

const PRODUCTS: Readonly<
  Record<keyof Versions, { readonly name: string; readonly example: string }>
> = {
  etcd: { name: 'etcd', example: DEFAULT_ETCD_TAG },
  kubernetes: { name: 'Kubernetes', example: DEFAULT_RELEASE.kubernetesTag },
  karmada: { name: 'Karmada', example: DEFAULT_RELEASE.release },
};

function productOf(key: string): keyof Versions {
  if (key === 'etcd.local') return 'etcd';
  return KUBERNETES_COMPONENTS.some((other) => other === key) ? 'kubernetes' : 'karmada';
}

/** Versions that the skew policies allow, and the tests of this operator do not run. */
function untestedVersions({ spec }: Subject): readonly Warning[] {
  const karmada = spec.components.karmadaControllerManager.imageTag;
  const kubernetes = spec.components.karmadaAPIServer.imageTag;
  const support = supportOf(karmada, kubernetes);
  const release = karmadaReleaseOf(karmada);
  const isKnown = productVersion('karmada', karmada) !== undefined;
  if (support === 'unknown' && isKnown && release === undefined)
    return [{ reason: 'UntestedVersions', message: unknownRelease(karmada) }];
  if (support !== 'allowed' || release === undefined) return [];
  const tested = release.kubernetes.tested.map((minor) => `1.${minor}`).join(' and ');
  const message = `spec.components.karmadaAPIServer.imageTag: Karmada ${karmada} may run with kube-apiserver ${kubernetes}, but this version of the operator is not tested with this pair; the tests run kube-apiserver ${tested}.`;
  return [{ reason: 'UntestedVersions', message }];
}

function unknownRelease(karmada: string): string {
  const [newest, oldest] = [RELEASES.at(0), RELEASES.at(-1)];
  const range = `v1.${oldest?.minor ?? ''} to v1.${newest?.minor ?? ''}`;
  return `spec.components.karmadaControllerManager.imageTag: this version of the operator is not tested with Karmada ${karmada}, and does not check its flags, feature gates and Kubernetes versions; it knows ${range}. Use one of them, or upgrade the operator.`;
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
  return withoutRepetitions(unknownArguments(spec)).flatMap((found) =>
    messagesOf(found).map((message) => ({ reason: found.reason, message: `${message}.` })),
  );
}

/** Leaves out names that an earlier component reports for the same field. */
function withoutRepetitions(all: readonly UnknownArguments[]): readonly UnknownArguments[] {
  const reported = new Map<string, Set<string>>();
  return all.flatMap((found) => {
    const before = reported.get(found.field) ?? new Set();
    const names = found.names.filter((name) => !before.has(name));
    reported.set(found.field, new Set([...before, ...names]));
    return names.length === 0 ? [] : [{ ...found, names }];
  });
}

export const VERSION_WARNINGS: readonly WarningRule[] = [
  versionTags,
  versionPairs,
  untestedVersions,
  mixedVersions,
  unknownArgumentsOf,
];
