/** CRDs that each Karmada release requires. An archive without one of them does not match the release. */
import { karmadaReleaseOf } from '../api/versions/versions.ts';
import type { CrdArchive } from './crds.ts';

/**
 * Returns what an archive lacks for a release, one clause per missing part. Returns an empty list for
 * a release that is not in the table.
 * @param release for example `v1.17.1`
 */
export function lackOf(archive: CrdArchive, release: string): readonly string[] {
  const crds = karmadaReleaseOf(release)?.crds;
  if (crds === undefined) return [];
  const there = new Map(archive.crds.map((crd) => [crd.definition.metadata.name, crd]));
  const missing = crds.names.filter((name) => !there.has(name));
  const unconverted = crds.converted.filter(
    (name) => there.has(name) && !there.get(name)?.conversion,
  );
  return [
    ...missing.map((name) => `${name}, required by Karmada ${release}, is missing`),
    ...unconverted.map((name) => `the conversion of ${name} in crds/patches is missing`),
  ];
}
