/** Which CRDs a release of Karmada cannot do without: an archive that lacks one is not that release's. */
import { parseVersion } from '../api/versions.ts';
import type { CrdArchive } from './crds.ts';

const COMMON: Readonly<Record<string, readonly string[]>> = {
  'apps.karmada.io': ['workloadrebalancers'],
  'autoscaling.karmada.io': ['cronfederatedhpas', 'federatedhpas'],
  'config.karmada.io': [
    'resourceinterpretercustomizations',
    'resourceinterpreterwebhookconfigurations',
  ],
  'multicluster.x-k8s.io': ['serviceexports', 'serviceimports'],
  'networking.karmada.io': ['multiclusteringresses', 'multiclusterservices'],
  'policy.karmada.io': [
    'clusteroverridepolicies',
    'clusterpropagationpolicies',
    'clustertaintpolicies',
    'federatedresourcequotas',
    'overridepolicies',
    'propagationpolicies',
  ],
  'remedy.karmada.io': ['remedies'],
  'work.karmada.io': ['clusterresourcebindings', 'resourcebindings', 'works'],
};

/** CRDs by group, by the minor version of Karmada 1.x. */
const CRDS: Readonly<Record<number, typeof COMMON>> = { 16: COMMON, 17: COMMON };

/** CRDs with two versions, between which karmada-webhook converts in all of these releases. */
const CONVERTED = ['clusterresourcebindings.work.karmada.io', 'resourcebindings.work.karmada.io'];

/**
 * What an archive lacks of a release, one clause each. Of a release that is not known here nothing is
 * asked.
 * @param release such as `v1.17.1`
 */
export function lackOf(archive: CrdArchive, release: string): readonly string[] {
  const version = parseVersion(release);
  const groups = version?.major === 1 ? CRDS[version.minor] : undefined;
  if (groups === undefined) return [];
  const there = new Map(archive.crds.map((crd) => [crd.definition.metadata.name, crd]));
  const wanted = Object.entries(groups).flatMap(([group, plurals]) =>
    plurals.map((plural) => `${plural}.${group}`),
  );
  const missing = wanted.filter((name) => !there.has(name));
  const unconverted = CONVERTED.filter((name) => there.has(name) && !there.get(name)?.conversion);
  return [
    ...missing.map((name) => `${name}, which Karmada ${release} needs, is not in it`),
    ...unconverted.map((name) => `the conversion of ${name} below crds/patches is not in it`),
  ];
}
