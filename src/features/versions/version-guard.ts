/**
 * Blocks version changes that Kubernetes, etcd or Karmada do not support: downgrades, skipped minor versions and
 * unsupported pairs. The rest of the spec is applied. An image tag without a version causes a warning. Pure functions.
 */
import type { DefaultedSpec } from '../../api/defaults/defaults.ts';
import { KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from '../../api/images.ts';
import type { ComponentKey, KarmadaStatus, Versions } from '../../api/karmada.ts';
import { messagesOf, type UnknownArguments } from '../../api/flags/unknown-arguments.ts';
import {
  checkPair,
  checkUpgrade,
  movedVersions,
  parseVersion,
  type SkewProblem,
} from '../../api/versions/versions.ts';
import { wantedVersions } from '../../api/versions/wanted-versions.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import { blockedVersions, type BlockedVersion, type VersionGroup } from './component-versions.ts';
import type { HostSnapshot } from '../../instance/snapshot.ts';
import { argumentsLost } from './argument-guard.ts';
import { runningImage, type RunningEvidence } from './running-image.ts';
import { upgradePath, type UpgradePath } from './upgrade-path.ts';

export interface Guarded {
  /** The spec, with the running images in place of the blocked ones, and with the next Karmada release on the way. */
  readonly spec: DefaultedSpec;
  readonly blockedChanges: readonly BlockedChange[];
  /** Karmada releases that follow that of `spec`, the requested one last. */
  readonly nextReleases: readonly string[];
}

type Subject = keyof Versions;

/** Components that share a version, and the step that a blocked change of the group is reported for. */
const GROUPS: Readonly<
  Record<
    Subject,
    { readonly keys: readonly (ComponentKey | 'etcd')[]; readonly step: BlockedChange['step'] }
  >
> = {
  etcd: { keys: ['etcd'], step: 'etcd' },
  kubernetes: { keys: KUBERNETES_COMPONENTS, step: 'karmada-apiserver' },
  karmada: { keys: KARMADA_COMPONENTS, step: 'karmada-controller-manager' },
};

/**
 * Replaces unsupported versions of the spec by the running ones, and a later Karmada release by the next one.
 * @param status last observed state: the running versions and the upgrade in progress
 * @param host objects and Pods of the control plane in the host cluster
 * @param isRollback whether `spec` is the last ready one, to which the operator returns
 * @returns the spec to apply, and the blocked changes
 */
export function guardVersions(
  requested: DefaultedSpec,
  status: Pick<KarmadaStatus, 'versions' | 'upgrade' | 'secretRef'>,
  host: Pick<HostSnapshot, 'objects' | 'pods'>,
  isRollback = false,
): Guarded {
  // A control plane that was never ready has no data that a change could damage.
  if (status.secretRef === undefined)
    return { spec: requested, blockedChanges: [], nextReleases: [] };
  const evidence = { status, host };
  const path = upgradePath(requested, status);
  const { spec } = path;
  const lost = isRollback ? [] : argumentsLost(requested, evidence);
  const change = {
    from: status.versions ?? {},
    to: wantedVersions(spec),
    before: status.upgrade?.from,
  };
  const problems = problemsOf(change, path.obstacle, lost).filter(
    ({ subject, reason }) => !isRollback || !returnsByOneMinor(subject, reason, change),
  );
  const blocked = new Set(problems.map(({ subject }) => subject));
  const groups = isRollback ? [] : SINGLE.filter(({ subject }) => !blocked.has(subject));
  const single = groups.flatMap((group) =>
    blockedVersions(spec, group, wantedVersions(spec), evidence),
  );
  const kept = keepVersions(
    keepComponents(spec, single, evidence),
    problems.map(({ subject }) => subject),
    evidence,
  );
  return {
    spec: kept,
    blockedChanges: [...problems.map(holdOf), ...single.map(({ blockedChange }) => blockedChange)],
    nextReleases: blocked.has('karmada') ? [] : path.next,
  };
}

/** Components whose version may differ from that of their group. */
const SINGLE: readonly VersionGroup[] = [
  {
    subject: 'kubernetes',
    keys: KUBERNETES_COMPONENTS.filter((key) => key !== 'karmadaAPIServer'),
  },
  {
    subject: 'karmada',
    keys: KARMADA_COMPONENTS.filter((key) => key !== 'karmadaControllerManager'),
  },
];

interface GuardProblem {
  readonly reason: SkewProblem['reason'] | UnknownArguments['reason'];
  readonly message: string;
  readonly subject: Subject;
}

function problemsOf(
  change: VersionChange,
  obstacle: UpgradePath['obstacle'],
  lost: readonly UnknownArguments[],
): readonly GuardProblem[] {
  const { from, to } = change;
  const moved = movedVersions(from, to);
  const unknown = lost.flatMap((found) =>
    messagesOf(found).map((message): GuardProblem => ({
      subject: 'karmada',
      reason: found.reason,
      message,
    })),
  );
  const steps = moved.flatMap(({ subject, before, after }) =>
    checkUpgrade({ [subject]: before }, { [subject]: after })
      .filter(({ reason }) => !isReturn(subject, reason, change))
      .map((problem) => ({ ...explained(problem, subject, obstacle), subject })),
  );
  const blocked = new Set([...steps, ...unknown].map(({ subject }) => subject));
  const moving = moved
    .map(({ subject }) => subject)
    .filter((subject) => subject !== 'etcd' && !blocked.has(subject));
  return [...steps, ...unknown, ...pairProblems(from, to, moving)];
}

/** Adds why the operator does not upgrade Karmada over the skipped minor versions itself. */
function explained(
  problem: SkewProblem,
  subject: Subject,
  obstacle: string | undefined,
): SkewProblem {
  const { reason, message } = problem;
  if (subject !== 'karmada' || reason !== 'SkippedMinor' || obstacle === undefined) return problem;
  return { reason, message: `${message}: ${obstacle}` };
}

interface VersionChange {
  /** Running. */
  readonly from: Versions;
  readonly to: Versions;
  /** Before an incomplete upgrade. */
  readonly before: Versions | undefined;
}

/**
 * Whether the user takes an incomplete upgrade back: Karmada to any version, because its CRDs keep their storage version, and Kubernetes
 * like a rollback, which may have begun to return.
 */
function isReturn(
  subject: Subject,
  reason: GuardProblem['reason'],
  { from, to, before }: VersionChange,
): boolean {
  if (before?.[subject] === undefined || before[subject] !== to[subject]) return false;
  return subject === 'karmada' || returnsByOneMinor(subject, reason, { from, to });
}

/**
 * Whether a rollback may return to an older version: by one minor version, never for etcd. Kubernetes keeps stored
 * objects readable for one minor version (deprecation policy, rule 4b), and CRDs keep their storage version.
 */
function returnsByOneMinor(
  subject: Subject,
  reason: GuardProblem['reason'],
  { from, to }: Pick<VersionChange, 'from' | 'to'>,
): boolean {
  const [running, wanted] = [from, to].map((versions) => parseVersion(versions[subject] ?? ''));
  if (subject === 'etcd' || reason !== 'Downgrade' || !running || !wanted) return false;
  return running.major === wanted.major && running.minor - wanted.minor === 1;
}

/** Problems of a new pair of Karmada and Kubernetes versions. An unsupported pair that runs only causes a warning. */
function pairProblems(
  from: Versions,
  to: Versions,
  moving: readonly Subject[],
): readonly GuardProblem[] {
  const after = { ...from, ...Object.fromEntries(moving.map((subject) => [subject, to[subject]])) };
  if (moving.length === 0 || checkPair(from.karmada, from.kubernetes).length > 0) return [];
  return checkPair(after.karmada, after.kubernetes).flatMap((problem) =>
    moving.map((subject) => ({ ...problem, subject })),
  );
}

function holdOf({ subject, reason, message }: GuardProblem): BlockedChange {
  return { step: GROUPS[subject].step, reason: `${reason}Blocked`, message };
}

/** Returns the spec with the running images of these parts. The CRDs stay at the release of the running Karmada. */
export const keepVersions = (
  spec: DefaultedSpec,
  subjects: readonly Subject[],
  evidence: RunningEvidence,
): DefaultedSpec =>
  subjects.reduce((current, subject) => keepImages(current, subject, evidence), spec);

/** Step for which a blocked upgrade is reported. */
export const blockedStepOf = (subject: Subject): BlockedChange['step'] => GROUPS[subject].step;

/** The spec with the running images of these components. */
function keepComponents(
  spec: DefaultedSpec,
  blocked: readonly BlockedVersion[],
  evidence: RunningEvidence,
): DefaultedSpec {
  const subjectOf = (key: ComponentKey): Subject =>
    SINGLE.find(({ keys }) => keys.includes(key))?.subject ?? 'karmada';
  const kept = blocked.map(({ key }) => {
    const settings = spec.components[key];
    return [key, { ...settings, ...runningImage(evidence, subjectOf(key), key) }] as const;
  });
  return { ...spec, components: { ...spec.components, ...Object.fromEntries(kept) } };
}

function keepImages(
  spec: DefaultedSpec,
  subject: Subject,
  evidence: RunningEvidence,
): DefaultedSpec {
  const { components } = spec;
  const keep = <T extends object>(settings: T, key: ComponentKey | 'etcd'): T => ({
    ...settings,
    ...runningImage(evidence, subject, key),
  });
  if (subject === 'etcd') {
    const local = components.etcd.local && keep(components.etcd.local, 'etcd');
    return local ? { ...spec, components: { ...components, etcd: { local } } } : spec;
  }
  const entries = GROUPS[subject].keys.flatMap((key) => {
    const settings: { readonly imageTag?: string; readonly enabled?: boolean } =
      (key !== 'etcd' && components[key]) || {};
    return settings.imageTag ? [[key, keep(settings, key)] as const] : [];
  });
  const kept = { ...spec, components: { ...components, ...Object.fromEntries(entries) } };
  return subject === 'karmada' ? withoutVersion(kept) : kept;
}

/** Drops `spec.version`: a blocked version must not select the CRDs either. */
function withoutVersion({ version: _, ...spec }: DefaultedSpec): DefaultedSpec {
  return spec;
}
