/**
 * Reads the objects of a control plane by name. A name is no proof: anybody may have created an object with it, such as another
 * installer of Karmada. Nothing that decides about trust or data is read from an object that the operator has neither created nor
 * adopted. Users who may write in the namespace can set labels too: they are trusted with its control planes.
 */
import { INSTANCE, isOurs, MANAGED_BY, MANAGER, wasApplied, wasCreated } from '../api/labels.ts';
import { instanceName, SECRET_SUFFIX } from '../api/naming.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';
import { nameOf, type KubernetesObject, type ObjectMeta } from '../kubernetes/objects/object.ts';
import { resources, type ObjectKey, type ResourceType } from '../kubernetes/objects/resources.ts';

/** An object with the name of an object of a control plane, which the operator has neither created nor adopted. */
class ForeignObjectError extends Error {
  override readonly name = 'ForeignObjectError';
}

/** Secrets that the operator only creates. The Go operator has none with these names. */
const CREATED = [SECRET_SUFFIX.caBackup, SECRET_SUFFIX.serviceAccountKey] as const;

/**
 * Whether the operator has created or adopted an object: by its labels, or by the field manager if it lost them.
 * @param karmada `metadata.name` of the Karmada
 */
export const isOwn = (object: KubernetesObject, karmada: string): boolean =>
  isOurs(object, karmada) ||
  wasApplied(object, karmada) ||
  (isCreatedOnly(object, karmada) && wasCreated(object, karmada));

const isCreatedOnly = ({ kind, metadata }: KubernetesObject, karmada: string): boolean =>
  kind === 'Secret' && CREATED.some((suffix) => metadata.name === instanceName(karmada, suffix));

/**
 * Reads an object of a control plane.
 * @param karmada `metadata.name` of the Karmada
 * @returns undefined if no object has the name
 * @throws ForeignObjectError if the object is foreign; ApiError, NetworkError
 */
export async function findOwn(
  client: Pick<KubernetesClient, 'find'>,
  type: ResourceType,
  key: ObjectKey,
  karmada: string,
): Promise<KubernetesObject | undefined> {
  const found = await client.find(type, key);
  if (found === undefined || isOwn(found, karmada)) return found;
  throw new ForeignObjectError(foreignText([found], karmada));
}

/** Recognizes further Secrets, from all Secrets of a control plane that exist. */
export type RecognizeSecrets = (found: readonly KubernetesObject[]) => (secret: Secret) => boolean;

const NO_OTHERS: RecognizeSecrets = () => () => false;

export interface SecretSearch {
  /** For a preview: recognizes what an adoption would label. */
  readonly recognize?: RecognizeSecrets | undefined;
  /** Secrets that were read just now, by name. All others are read one by one. */
  readonly known?: ReadonlyMap<string, KubernetesObject>;
  /** Names of Secrets that may exist, see `presentSecrets`. All others are not read. */
  readonly present?: ReadonlySet<string>;
}

/**
 * Reads Secrets of a control plane. One that lost its labels is known only by the field manager, which the Go operator has too, so
 * it counts only while the CA backup Secret is an own one: the operator writes it before all others.
 * @param names of Secrets in the namespace of the Karmada
 * @returns those that exist, by name
 * @throws ForeignObjectError if one of them is foreign; ApiError, NetworkError
 */
export async function findOwnSecrets(
  client: Pick<KubernetesClient, 'find'>,
  { name, namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>,
  names: readonly string[],
  { recognize = NO_OTHERS, known = new Map(), present }: SecretSearch = {},
): Promise<ReadonlyMap<string, KubernetesObject>> {
  const saved = instanceName(name, SECRET_SUFFIX.caBackup);
  const read = async (called: string): Promise<KubernetesObject | undefined> =>
    known.get(called) ??
    (present?.has(called) === false
      ? undefined
      : client.find(resources.Secret, { namespace, name: called }));
  const [backup, ...others] = await Promise.all(
    [saved, ...names.filter((called) => called !== saved)].map(read),
  );
  const isInstalled = backup !== undefined && isOwn(backup, name);
  const found = [...(names.includes(saved) ? [backup] : []), ...others].filter(
    (one) => one !== undefined,
  );
  const isRecognized = recognize(found);
  const isKnown = (secret: Secret): boolean =>
    isOwn(secret, name) || (isInstalled && wasCreated(secret, name)) || isRecognized(secret);
  const foreign = found.filter((secret) => !isKnown(secret));
  if (foreign.length > 0) throw new ForeignObjectError(foreignText(foreign, name));
  return new Map(found.map((secret) => [secret.metadata.name, secret]));
}

/** Problem of an error of `findOwn`. @throws any other error */
export function foreignProblem(error: unknown): Problem {
  if (!(error instanceof ForeignObjectError)) throw error;
  return { reason: 'Conflict', message: error.message };
}

/** What a user does about foreign objects. */
function foreignText(foreign: readonly KubernetesObject[], karmada: string): string {
  const names = foreign.map(nameOf).sort().join(', ');
  return `${names}: exists, but the operator neither created nor adopted it, so it reads nothing from it and changes nothing; give the Karmada another metadata.name or another Namespace; if it is a restored object of this control plane, add the labels ${INSTANCE}=${karmada} and ${MANAGED_BY}=${MANAGER}`;
}
