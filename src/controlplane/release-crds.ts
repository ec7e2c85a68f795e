/** CRDs that each Karmada release requires. An archive without one of them does not match the release. */
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

/** CRDs by API group, by minor version of Karmada 1.x. */
const CRDS: Readonly<Record<number, typeof COMMON>> = { 16: COMMON, 17: COMMON };

/** CRDs with two versions. In all of these releases, karmada-webhook converts between them. */
const CONVERTED = ['clusterresourcebindings.work.karmada.io', 'resourcebindings.work.karmada.io'];

/**
 * Returns what an archive lacks for a release, one clause per missing part. Returns an empty list for
 * a release that is not in the table.
 * @param release for example `v1.17.1`
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
    ...missing.map((name) => `${name}, required by Karmada ${release}, is missing`),
    ...unconverted.map((name) => `the conversion of ${name} in crds/patches is missing`),
  ];
}
