/**
 * Versions that may not follow those that run, or do not go together, are not taken up; everything else of the spec
 * is: pure. What an image without a version in its tag is, nobody can tell: that is a matter of warnings.
 */
import type { DefaultedSettings, DefaultedSpec } from '../../api/defaults.ts';
import { KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from '../../api/images.ts';
import type { ComponentKey, KarmadaStatus, Versions } from '../../api/karmada.ts';
import { checkPair, checkUpgrade, movedVersions, type SkewProblem } from '../../api/versions.ts';
import { wantedVersions } from '../../api/wanted-versions.ts';
import type { Hold } from '../hold.ts';
import { componentHolds, type ComponentHold, type VersionGroup } from './component-versions.ts';
import type { HostSnapshot } from '../snapshot.ts';
import { runningImage, type RunningEvidence } from './running-image.ts';

export interface Guarded {
  /** The spec with the images that run in the place of those that may not follow them. */
  readonly spec: DefaultedSpec;
  readonly holds: readonly Hold[];
}

type Subject = keyof Versions;

/** Components of which the images are of one version, and the one whose step a hold is about. */
const GROUPS: Readonly<
  Record<
    Subject,
    { readonly keys: readonly (ComponentKey | 'etcd')[]; readonly step: Hold['step'] }
  >
> = {
  etcd: { keys: ['etcd'], step: 'etcd' },
  kubernetes: { keys: KUBERNETES_COMPONENTS, step: 'karmada-apiserver' },
  karmada: { keys: KARMADA_COMPONENTS, step: 'karmada-controller-manager' },
};

/**
 * @param status what was seen last: the versions that run, and the upgrade that is under way
 * @param host what there is of the instance in its host
 */
export function guardVersions(
  spec: DefaultedSpec,
  status: Pick<KarmadaStatus, 'versions' | 'upgrade' | 'secretRef'>,
  host: Pick<HostSnapshot, 'objects' | 'pods'>,
): Guarded {
  // What was never ready holds nobody's data.
  if (status.secretRef === undefined) return { spec, holds: [] };
  const evidence = { status, host };
  const problems = problemsOf(spec, status);
  const held = new Set(problems.map(({ subject }) => subject));
  const single = SINGLE.filter(({ subject }) => !held.has(subject)).flatMap((group) =>
    componentHolds(spec, group, wantedVersions(spec), evidence),
  );
  const kept = problems.reduce(
    (current, { subject }) => keepImages(current, subject, evidence),
    keepComponents(spec, single, evidence),
  );
  return { spec: kept, holds: [...problems.map(holdOf), ...single.map(({ hold }) => hold)] };
}

/** Components that may have a version of their own beside that of their group. */
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

interface GuardProblem extends SkewProblem {
  readonly subject: Subject;
}

function problemsOf(
  spec: DefaultedSpec,
  { versions: from = {}, upgrade }: Pick<KarmadaStatus, 'versions' | 'upgrade'>,
): readonly GuardProblem[] {
  const to = wantedVersions(spec);
  const moved = movedVersions(from, to);
  const steps = moved.flatMap(({ subject, before, after }) =>
    checkUpgrade({ [subject]: before }, { [subject]: after })
      .filter(() => !isReturn(subject, to, upgrade?.from))
      .map((problem) => ({ ...problem, subject })),
  );
  const held = new Set(steps.map(({ subject }) => subject));
  const moving = moved
    .map(({ subject }) => subject)
    .filter((subject) => subject !== 'etcd' && !held.has(subject));
  return [...steps, ...pairProblems(from, to, moving)];
}

/** Karmada may go back to where an unfinished upgrade came from: its CRDs keep what they store. */
function isReturn(subject: Subject, to: Versions, from: Versions | undefined): boolean {
  return subject === 'karmada' && from?.karmada !== undefined && from.karmada === to.karmada;
}

/** A pair that is not made for each other is not entered; one that runs already is left to the warnings. */
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

function holdOf({ subject, reason, message }: GuardProblem): Hold {
  return { step: GROUPS[subject].step, reason: `${reason}Held`, message };
}

/** The spec with the images that these components run. */
function keepComponents(
  spec: DefaultedSpec,
  held: readonly ComponentHold[],
  evidence: RunningEvidence,
): DefaultedSpec {
  const subjectOf = (key: ComponentKey): Subject =>
    SINGLE.find(({ keys }) => keys.includes(key))?.subject ?? 'karmada';
  const kept = held.map(({ key }) => {
    const settings = spec.components[key] as DefaultedSettings;
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
  const keep = <T extends DefaultedSettings>(settings: T, key: ComponentKey | 'etcd'): T => ({
    ...settings,
    ...runningImage(evidence, subject, key),
  });
  if (subject === 'etcd') {
    const local = components.etcd.local && keep(components.etcd.local, 'etcd');
    return local ? { ...spec, components: { ...components, etcd: { local } } } : spec;
  }
  const entries = GROUPS[subject].keys.flatMap((key) => {
    const settings = components[key as ComponentKey] as DefaultedSettings | undefined;
    return settings?.imageTag ? [[key, keep(settings, key)] as const] : [];
  });
  const kept = { ...spec, components: { ...components, ...Object.fromEntries(entries) } };
  return subject === 'karmada' ? withoutVersion(kept) : kept;
}

/** The version of a spec that is not taken up says nothing about the CRDs either. */
function withoutVersion({ version: _, ...spec }: DefaultedSpec): DefaultedSpec {
  return spec;
}
