/**
 * Copies of what a Pod in a remote host cluster needs of the Secrets of a store. Only credentials of S3, CA certificates and valid
 * backup keys are copied: whoever administers the host cluster can read them, and must not get other Secrets of the namespace.
 */
import type { KarmadaBackupStore } from '../../../api/backup/kinds.ts';
import { parseBackupKey } from '../../../backup/format/key.ts';
import { STORE_SECRETS, storeSecretNames } from '../../../backup/store-access.ts';
import { errorText } from '../../../kubernetes/client/errors.ts';
import type { Secret } from '../../../kubernetes/objects/kinds.ts';
import { resources } from '../../../kubernetes/objects/resources.ts';
import type { Problem } from '../../../api/reasons/problem.ts';
import type { BackupClient } from '../../../features/backups/backup-cluster.ts';

type SecretRole = keyof typeof STORE_SECRETS;

/** Values in Base64, by key of the copy. */
export type CopiedAccess = Readonly<Record<string, string>>;

const NAMED_KEYS: Readonly<Record<'credentials' | 'storeCA', readonly string[]>> = {
  credentials: ['accessKeyID', 'secretAccessKey', 'sessionToken'],
  storeCA: ['ca.crt'],
};

/** Keys that a store without the optional ones must have. */
const isRequired = (key: string): boolean => key !== 'sessionToken';

/** Secrets that a store references. */
export type StoreSecrets = readonly {
  readonly role: SecretRole;
  readonly name: string;
  /** Undefined if it does not exist. */
  readonly secret: Secret | undefined;
}[];

/** Reads the Secrets of a store. @throws ApiError, NetworkError */
export async function readStoreSecrets(
  store: KarmadaBackupStore,
  client: Pick<BackupClient, 'find'>,
): Promise<StoreSecrets> {
  const { namespace = '' } = store.metadata;
  return Promise.all(
    storeSecretNames(store).map(async ([role, name]) => ({
      role,
      name,
      secret: await client.find(resources.Secret, { namespace, name }),
    })),
  );
}

type Data = Readonly<Record<string, string>>;

const dataOf = (secret: Secret): Data => secret['data'] ?? {};

/** What is missing or not valid in the Secrets of a store, without a value. */
export function accessProblem(
  store: KarmadaBackupStore,
  secrets: StoreSecrets,
): Problem | undefined {
  const { namespace = '' } = store.metadata;
  for (const { role, name, secret } of secrets) {
    if (secret === undefined)
      return {
        reason: 'StoreSecretNotFound',
        message: `${STORE_SECRETS[role].field}: Secret ${namespace}/${name} not found; create it`,
      };
    const data = dataOf(secret);
    const message = role === 'keys' ? keyProblem(store, data) : missingKey(role, name, data);
    if (message !== undefined)
      return { reason: 'StoreSecretInvalid', message: `${STORE_SECRETS[role].field}: ${message}` };
  }
  return undefined;
}

/**
 * Reads the Secrets of a store.
 * @param client of the management cluster
 * @returns the copies, or what is missing or not valid, without a value
 * @throws ApiError, NetworkError
 */
export async function copiedAccess(
  store: KarmadaBackupStore,
  client: Pick<BackupClient, 'find'>,
): Promise<CopiedAccess | Problem> {
  const secrets = await readStoreSecrets(store, client);
  return (
    accessProblem(store, secrets) ??
    Object.fromEntries(
      secrets.flatMap(({ role, secret }) => {
        const data = secret === undefined ? {} : dataOf(secret);
        return copiedKeys(role, data).map(
          (key) => [`${STORE_SECRETS[role].prefix}${key}`, data[key] ?? ''] as const,
        );
      }),
    )
  );
}

export const isProblem = (found: CopiedAccess | Problem): found is Problem =>
  'reason' in found && 'message' in found;

const copiedKeys = (role: SecretRole, data: Data): readonly string[] => {
  const names = Object.keys(data).sort();
  return role === 'keys'
    ? names.filter((name) => invalidKey(name, data[name]) === undefined)
    : names.filter((name) => NAMED_KEYS[role].includes(name));
};

const missingKey = (
  role: Exclude<SecretRole, 'keys'>,
  secret: string,
  data: Data,
): string | undefined => {
  const missing = NAMED_KEYS[role].filter(isRequired).find((name) => data[name] === undefined);
  return missing && `Secret ${secret}: the key ${missing} is missing`;
};

function keyProblem({ spec: { encryption } }: KarmadaBackupStore, data: Data): string | undefined {
  const { keyID = '', keySecretRef } = encryption;
  if (data[keyID] === undefined)
    return `Secret ${keySecretRef?.name ?? ''}: the key ${keyID} is missing`;
  return invalidKey(keyID, data[keyID]);
}

/** Why a value is not a backup key. The message does not contain it. */
function invalidKey(keyID: string, encoded = ''): string | undefined {
  try {
    parseBackupKey(keyID, Buffer.from(encoded, 'base64').toString('utf8'));
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
