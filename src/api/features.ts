/**
 * Features in use of a control plane that an older operator would misread: pure. The operator records them on the Karmada before it uses
 * them. An operator that does not know one of them changes nothing, because it would treat what it does not understand as damage.
 */
import { allowsIdentities, usesMasters } from './identities.ts';
import type { Karmada } from './karmada.ts';
import { listed } from './listed.ts';
import type { Problem } from './reasons/problem.ts';

/** Annotation of a Karmada: features in use, as `NAME@VERSION` separated by commas. */
export const FEATURES_ANNOTATION = 'operator.karmada.io/features-in-use';

export interface Feature {
  /** Lower case, such as `encryption`. */
  readonly name: string;
  /** First version of the operator that knows it. */
  readonly since: string;
  /** Whether the control plane uses it, or is about to. */
  readonly isInUse: (karmada: Pick<Karmada, 'metadata' | 'spec' | 'status'>) => boolean;
}

/** Client certificates of components that are not in the group `system:masters`. */
export const OWN_IDENTITIES = 'own-identities';

/** Whether the annotation of a Karmada names a feature. */
export const isRecorded = ({ metadata }: Pick<Karmada, 'metadata'>, name: string): boolean =>
  entriesOf(metadata).some((entry) => nameIn(entry) === name);

/** Features that this version knows. docs/operate/upgrade.md says how to leave each before a downgrade. */
export const FEATURES: readonly Feature[] = [
  {
    name: OWN_IDENTITIES,
    since: '0.1.0',
    isInUse: (karmada) =>
      !usesMasters(karmada) && (isRecorded(karmada, OWN_IDENTITIES) || startsIdentities(karmada)),
  },
];

/** Whether a control plane is new, or its first component is about to leave the group. Its version of Kubernetes must allow it. */
function startsIdentities({
  spec,
  status = {},
}: Pick<Karmada, 'metadata' | 'spec' | 'status'>): boolean {
  // A tag that is not set yet becomes that of a release.
  const tag = spec?.components?.karmadaAPIServer?.imageTag;
  const starts = status.secretRef === undefined || status.componentIdentities?.trial !== undefined;
  return starts && (!tag || allowsIdentities(tag));
}

/** Value of the annotation for a control plane; undefined if it uses none. */
export function featuresInUse(
  karmada: Pick<Karmada, 'metadata' | 'spec' | 'status'>,
  features = FEATURES,
): string | undefined {
  const used = features.filter(({ isInUse }) => isInUse(karmada));
  const texts = used.map(({ name, since }) => `${name}@${since}`).sort();
  return texts.length === 0 ? undefined : texts.join(',');
}

const ENTRY = /^([a-z][a-z0-9-]{0,62})@([0-9A-Za-z][0-9A-Za-z.+-]{0,63})$/;

const nameIn = (entry: string): string => ENTRY.exec(entry)?.[1] ?? '';

const entriesOf = ({ annotations }: Karmada['metadata']): readonly string[] =>
  (annotations?.[FEATURES_ANNOTATION] ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/**
 * Why this operator changes nothing of a control plane; undefined if it knows all of its features. An entry that it cannot read is a
 * feature that it does not know.
 */
export function newerOperatorProblem(
  { metadata }: Pick<Karmada, 'metadata'>,
  features = FEATURES,
): Problem | undefined {
  const known = new Set(features.map(({ name }) => name));
  const unknown = entriesOf(metadata).filter((entry) => !known.has(nameIn(entry)));
  if (unknown.length === 0) return undefined;
  const named = listed(unknown.map(spoken)).join(', ');
  return {
    reason: 'NewerOperatorRequired',
    message: `metadata.annotations: ${FEATURES_ANNOTATION} names features of this control plane that this version of the operator does not know (${named}), so it changes and deletes nothing of it; install the newer operator again, and leave these features before a downgrade (docs/operate/upgrade.md)`,
  };
}

function spoken(entry: string): string {
  const [, name, since] = ENTRY.exec(entry) ?? [];
  return name === undefined ? JSON.stringify(entry.slice(0, 64)) : `${name}, since ${since ?? ''}`;
}
