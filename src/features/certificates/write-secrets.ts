/** Writes the Secrets with the certificates of a control plane, and keeps which versions of them the caches must reach. */
import { FIELD_MANAGER } from '../../api/karmada.ts';
import { isOurs, secretOf, wasCreated } from '../../api/labels.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { Host } from '../../host-clusters/host.ts';
import { hashSecretValues } from '../../kubernetes/objects/cache-transform.ts';
import { isObject } from '../../kubernetes/objects/compare.ts';
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { SecretWrite } from '../../pki/ensure.ts';
import type { PkiInputs, SecretData, SecretReads, SecretRole } from '../../pki/types.ts';
import { isOwn } from '../../instance/own-objects.ts';

/** Secrets of a control plane, from live reads. */
export interface FoundSecrets {
  readonly reads: SecretReads;
  /** Secrets that have lost the labels of the operator. */
  readonly unlabelled: ReadonlySet<SecretRole>;
  /** By `metadata.name`. */
  readonly live: ReadonlyMap<string, KubernetesObject>;
}

/** resourceVersion of Secrets by `metadata.name`. */
export type SecretVersions = ReadonlyMap<string, string | undefined>;

/** Returns what was read of Secrets. @param found the existing ones by `metadata.name` */
export function foundSecrets(
  names: readonly (readonly [SecretRole, string])[],
  found: ReadonlyMap<string, KubernetesObject>,
  karmada: string,
): FoundSecrets {
  const isUnlabelled = (secret: Secret | undefined): boolean =>
    secret !== undefined && !isOurs(secret, karmada);
  return {
    reads: Object.fromEntries(
      names.map(([role, called]) => {
        const secret = found.get(called);
        return [role, secret === undefined ? 'absent' : (secret['data'] ?? {})];
      }),
    ),
    unlabelled: new Set(
      names.flatMap(([role, called]) => (isUnlabelled(found.get(called)) ? [role] : [])),
    ),
    live: found,
  };
}

/** Returns the versions of Secrets. */
export const versionsOf = (secrets: Iterable<KubernetesObject>): SecretVersions =>
  new Map([...secrets].map(({ metadata }) => [metadata.name, metadata.resourceVersion]));

/** Secrets to write: the first one, then the others, then the last one. */
export interface WriteOrder {
  readonly secrets: readonly SecretWrite[];
  readonly last?: SecretWrite | undefined;
}

/**
 * Writes the Secrets that differ from those read. Without a rotation, the CA backup Secret comes first, because all other Secrets
 * depend on the CAs.
 * @returns the Secrets that were written, or why one of them was not
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function writeSecrets(
  host: Pick<Host, 'applier'>,
  inputs: PkiInputs,
  { secrets, last }: WriteOrder,
  found: FoundSecrets,
): Promise<{ readonly objects: readonly KubernetesObject[] } | { readonly problem: Problem }> {
  const write = (secret: SecretWrite): Promise<Written> =>
    writeSecret(host, inputs, secret, found.live.get(secret.name));
  const [first, ...others] = dueSecrets(secrets, found);
  const stages = [first ? [first] : [], others, last ? dueSecrets([last], found) : []];
  const written: KubernetesObject[] = [];
  for (const stage of stages) {
    const results = await Promise.all(stage.map(write));
    const failed = results.find((result) => 'problem' in result);
    if (failed !== undefined) return failed;
    written.push(...results.flatMap((result) => ('object' in result ? [result.object] : [])));
  }
  return { objects: written };
}

/** Returns the Secrets that differ from those read, have lost the labels of the operator, or have a key that must not stay. */
export const dueSecrets = (
  secrets: readonly SecretWrite[],
  { reads, unlabelled, live }: FoundSecrets,
): readonly SecretWrite[] =>
  secrets.filter(
    (secret) =>
      unlabelled.has(secret.role) ||
      differs(reads[secret.role], secret.data) ||
      hasUnwantedKey(secret, live.get(secret.name)),
  );

/**
 * Whether the CA backup has a value of the operator that is no longer wanted, such as the private key of a former CA. Other
 * Secrets lose such values with their next write, because a Pod with an earlier template may mount them.
 */
const hasUnwantedKey = ({ role, data }: SecretWrite, live: KubernetesObject | undefined): boolean =>
  role === 'ca-backup' && ownKeys(live).some((key) => data[key] === undefined);

const DATA_KEY = 'f:';

/** Returns the keys of `data` that the operator has written. */
const ownKeys = (live: KubernetesObject | undefined): readonly string[] =>
  (live?.metadata.managedFields ?? [])
    .filter(({ manager, subresource = '' }) => manager === FIELD_MANAGER && subresource === '')
    .flatMap(({ fieldsV1 }) => {
      const fields = fieldsV1?.['f:data'];
      return isObject(fields) ? Object.keys(fields) : [];
    })
    .filter((field) => field.startsWith(DATA_KEY))
    .map((field) => field.slice(DATA_KEY.length));

function differs(read: SecretReads[SecretRole], data: SecretData): boolean {
  if (read === undefined || typeof read === 'string') return true;
  return Object.entries(data).some(([key, value]) => read[key] !== value);
}

type Written = { readonly object: KubernetesObject } | { readonly problem: Problem };

/** @param read the Secret as it was read just now */
async function writeSecret(
  { applier }: Pick<Host, 'applier'>,
  inputs: PkiInputs,
  secret: SecretWrite,
  read: KubernetesObject | undefined,
): Promise<Written> {
  const desired = secretOf(inputs, secret.name, secret.data);
  const result =
    secret.mode === 'create'
      ? await applier.createOnly(desired)
      : await applier.apply({
          desired,
          cached: read && hashSecretValues(read),
          owns: (live) => isOwn(live, inputs.name) || wasCreated(live, inputs.name),
          reduce: hashSecretValues,
        });
  if (result.outcome === 'terminating') {
    const message = `Secret ${secret.name}: terminating; the operator recreates it after its deletion`;
    return { problem: { reason: 'SecretNotWritten', message } };
  }
  if ('message' in result)
    return { problem: { reason: 'SecretNotWritten', message: result.message } };
  return { object: result.object };
}
