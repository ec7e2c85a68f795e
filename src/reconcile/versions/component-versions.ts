/**
 * Single components of which the image is of another version than its group, such as a scheduler v9.9.9 beside Karmada
 * v1.17.1: each goes by the same steps as the group. Pure.
 */
import type { DefaultedSettings, DefaultedSpec } from '../../api/defaults.ts';
import type { ComponentKey, Versions } from '../../api/karmada.ts';
import { COMPONENT_NAME } from '../../api/naming.ts';
import {
  checkUpgrade,
  compareVersions,
  formatVersion,
  parseVersion,
  type SkewProblem,
} from '../../api/versions.ts';
import type { Hold } from '../hold.ts';
import { runningImage, type RunningEvidence } from './running-image.ts';

/** Components of one version, without the one whose tag is that version. */
export interface VersionGroup {
  readonly subject: 'karmada' | 'kubernetes';
  readonly keys: readonly ComponentKey[];
}

export interface ComponentHold {
  readonly key: ComponentKey;
  readonly hold: Hold;
}

/**
 * Components whose own tag may not follow what they run.
 * @param wanted version of the group that the spec asks for
 */
export function componentHolds(
  spec: DefaultedSpec,
  { subject, keys }: VersionGroup,
  wanted: Versions,
  evidence: RunningEvidence,
): readonly ComponentHold[] {
  return keys.flatMap((key) => {
    const tag = (spec.components[key] as DefaultedSettings | undefined)?.imageTag;
    if (tag === undefined || isOf(tag, wanted[subject])) return [];
    const [problem] = stepProblems(subject, tag, evidence, key);
    if (problem === undefined) return [];
    const message = `spec.components.${key}.imageTag: ${problem.message}`;
    const step = COMPONENT_NAME[key] as Hold['step'];
    return [{ key, hold: { step, reason: `${problem.reason}Held`, message } }];
  });
}

/** A tag without a version in it is a matter of warnings. */
function isOf(tag: string, version: string | undefined): boolean {
  const [one, other] = [parseVersion(tag), parseVersion(version ?? '')];
  return one === undefined || (other !== undefined && compareVersions(one, other) === 0);
}

/** What speaks against the step from what the component runs, and from what its group runs. */
function stepProblems(
  subject: VersionGroup['subject'],
  tag: string,
  evidence: RunningEvidence,
  key: ComponentKey,
): readonly SkewProblem[] {
  const runs = runningImage(evidence, subject, key)?.imageTag ?? '';
  const { versions, upgrade } = evidence.status;
  // As its group may, a component may go back to where an unfinished upgrade came from.
  if (isOf(tag, runs) || isOf(tag, upgrade?.from?.[subject])) return [];
  const beside = stepFrom(versions?.[subject], tag, subject);
  // One that is behind its group may come nearer.
  return [
    ...stepFrom(runs, tag, subject),
    ...beside.filter(({ reason }) => reason !== 'Downgrade'),
  ];
}

/** What speaks against a step; nothing when one of the versions is not known. */
function stepFrom(
  before: string | undefined,
  tag: string,
  subject: VersionGroup['subject'],
): readonly SkewProblem[] {
  const [from, to] = [parseVersion(before ?? ''), parseVersion(tag)];
  if (from === undefined || to === undefined) return [];
  return checkUpgrade({ [subject]: formatVersion(from) }, { [subject]: formatVersion(to) });
}
