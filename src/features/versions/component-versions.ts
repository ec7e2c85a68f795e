/**
 * Checks components whose image version differs from their group, such as a scheduler v9.9.9 with Karmada v1.17.1. The
 * version skew rules of the group apply to each of them. Pure functions.
 */
import type { DefaultedSpec } from '../../api/defaults/defaults.ts';
import type { ComponentKey, Versions } from '../../api/karmada.ts';
import { COMPONENT_NAME } from '../../api/naming.ts';
import {
  checkUpgrade,
  compareVersions,
  formatVersion,
  parseVersion,
  type SkewProblem,
} from '../../api/versions/versions.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import { runningImage, type RunningEvidence } from './running-image.ts';

/** Components that share a version, without the component whose tag defines that version. */
export interface VersionGroup {
  readonly subject: 'karmada' | 'kubernetes';
  readonly keys: readonly ComponentKey[];
}

export interface BlockedVersion {
  readonly key: ComponentKey;
  readonly blockedChange: BlockedChange;
}

/** Of a disabled component, too. */
interface GivenTag {
  readonly enabled?: boolean;
  readonly imageTag?: string;
}

/**
 * Returns the components whose new image tag violates the version skew rules.
 * @param wanted version of the group in the spec
 * @param evidence versions that run now
 */
export function blockedVersions(
  spec: DefaultedSpec,
  { subject, keys }: VersionGroup,
  wanted: Versions,
  evidence: RunningEvidence,
): readonly BlockedVersion[] {
  return keys.flatMap((key) => {
    const settings: GivenTag = spec.components[key] ?? {};
    const tag = settings.imageTag;
    if (tag === undefined || isOf(tag, wanted[subject])) return [];
    const [problem] = stepProblems(subject, tag, evidence, key);
    if (problem === undefined) return [];
    const message = `spec.components.${key}.imageTag: ${problem.message}`;
    const step = COMPONENT_NAME[key];
    return [{ key, blockedChange: { step, reason: `${problem.reason}Blocked`, message } }];
  });
}

/** Whether a tag has this version. True for a tag without a version, which only causes a warning. */
function isOf(tag: string, version: string | undefined): boolean {
  const [one, other] = [parseVersion(tag), parseVersion(version ?? '')];
  return one === undefined || (other !== undefined && compareVersions(one, other) === 0);
}

/** Skew problems of a new tag against the running version of the component and against that of its group. */
function stepProblems(
  subject: VersionGroup['subject'],
  tag: string,
  evidence: RunningEvidence,
  key: ComponentKey,
): readonly SkewProblem[] {
  const runs = runningImage(evidence, subject, key)?.imageTag ?? '';
  const { versions, upgrade } = evidence.status;
  // A component may return to the version before an incomplete upgrade, as its group may.
  if (isOf(tag, runs) || isOf(tag, upgrade?.from?.[subject])) return [];
  const beside = stepFrom(versions?.[subject], tag, subject);
  // A component that is older than its group may upgrade to a version that is still older.
  return [
    ...stepFrom(runs, tag, subject),
    ...beside.filter(({ reason }) => reason !== 'Downgrade'),
  ];
}

/** Skew problems between two versions; none if one of them is unknown. */
function stepFrom(
  before: string | undefined,
  tag: string,
  subject: VersionGroup['subject'],
): readonly SkewProblem[] {
  const [from, to] = [parseVersion(before ?? ''), parseVersion(tag)];
  if (from === undefined || to === undefined) return [];
  return checkUpgrade({ [subject]: formatVersion(from) }, { [subject]: formatVersion(to) });
}
