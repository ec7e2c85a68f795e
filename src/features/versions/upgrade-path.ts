/**
 * Divides an upgrade of Karmada over several minor versions into upgrades of one minor version each. Every release on
 * the way is one whose CRDs the operator contains. Pure functions.
 */
import { ifEnabled } from '../../api/addon.ts';
import type { DefaultedSpec } from '../../api/defaults/defaults.ts';
import { KARMADA_COMPONENTS } from '../../api/images.ts';
import type { ComponentKey, KarmadaStatus } from '../../api/karmada.ts';
import { releaseOfMinor } from '../../api/releases/releases.ts';
import { rollsBack } from '../../api/versions/upgrade-policy.ts';
import {
  compareVersions,
  isReleaseTag,
  parseVersion,
  type Version,
} from '../../api/versions/versions.ts';
import { wantedVersions } from '../../api/versions/wanted-versions.ts';

export interface UpgradePath {
  /** Spec with the first release on the way. */
  readonly spec: DefaultedSpec;
  /** Releases that follow, the requested one last; empty for an upgrade of one minor version. */
  readonly next: readonly string[];
  /** Why an upgrade over several minor versions cannot be divided. */
  readonly obstacle?: string;
}

/** Returns the release to upgrade to now, and those that follow. */
export function upgradePath(
  spec: DefaultedSpec,
  { versions, upgrade }: Pick<KarmadaStatus, 'versions' | 'upgrade'>,
): UpgradePath {
  // Until a release on the way is complete, its programs and those of the former release run side by side.
  const before = upgrade?.next === undefined ? versions?.karmada : upgrade.from?.karmada;
  const [from, to] = [before, wantedVersions(spec).karmada].map((tag) => parseVersion(tag ?? ''));
  return from && to && isFar(from, to) ? divided(spec, from, to) : { spec, next: [] };
}

const isFar = (from: Version, to: Version): boolean =>
  from.major === to.major && to.minor - from.minor > 1;

function divided(spec: DefaultedSpec, from: Version, to: Version): UpgradePath {
  const direct = { spec, next: [] };
  if (rollsBack(spec)) return { ...direct, obstacle: ROLLS_BACK };
  const releases: string[] = [];
  for (let minor = from.minor + 1; minor < to.minor; minor += 1) {
    const { release } = releaseOfMinor({ major: to.major, minor }) ?? {};
    // Ends with the first one, because a spec may state any minor version.
    if (release === undefined)
      return { ...direct, obstacle: `the operator contains no Karmada 1.${minor}` };
    releases.push(release);
  }
  const other = otherTag(spec, to);
  if (other !== undefined) return { ...direct, obstacle: other };
  const [first = '', ...more] = releases;
  return { spec: withRelease(spec, to, first), next: [...more, `v${to.version}`] };
}

/** A rollback returns to the last ready spec, which may be two minor versions older. */
const ROLLS_BACK =
  'spec.upgrade.onFailure is Rollback, and a failed step could not return over two minor versions';

const tagOf = (spec: DefaultedSpec, key: ComponentKey): string =>
  ifEnabled(spec.components[key])?.imageTag ?? '';

const isOf = (tag: string, version: Version): boolean => {
  const found = parseVersion(tag);
  return found !== undefined && compareVersions(found, version) === 0;
};

/** Names a component whose tag has a suffix or digest: the tags of other releases cannot be derived from it. */
function otherTag(spec: DefaultedSpec, to: Version): string | undefined {
  const key = KARMADA_COMPONENTS.find(
    (one) => isOf(tagOf(spec, one), to) && !isReleaseTag(tagOf(spec, one)),
  );
  if (key === undefined) return undefined;
  return `spec.components.${key}.imageTag is more than a release, so the tags of the releases between them are unknown`;
}

const withoutArchive = ({ crdTarball: _, ...spec }: DefaultedSpec): DefaultedSpec => spec;

/** The spec with another release. An archive that the spec names is that of the requested release. */
function withRelease(spec: DefaultedSpec, to: Version, release: string): DefaultedSpec {
  const entries = KARMADA_COMPONENTS.filter((key) => isOf(tagOf(spec, key), to)).map((key) => {
    const settings = spec.components[key];
    return [key, { ...settings, imageTag: release }] as const;
  });
  return {
    ...withoutArchive(spec),
    ...(spec.version && { version: release }),
    components: { ...spec.components, ...Object.fromEntries(entries) },
  };
}
