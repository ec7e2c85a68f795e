/** Opens the store and the key of a backup from mounted files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Random } from '../../kubernetes/time/clock.ts';
import { checkedKeyID, parseBackupKey, type BackupKey } from '../format/key.ts';
import { createFileStore } from '../stores/file-store.ts';
import type { ObjectStore } from '../stores/object-store.ts';
import { fixedCredentials, type CredentialSource } from '../stores/credentials.ts';
import { createS3Store } from '../stores/s3-store.ts';
import { tokenServiceOf } from '../stores/token-service.ts';
import { webIdentity } from '../stores/web-identity.ts';
import type { JobConfig } from './config.ts';
import { JOB_FILES, keyFile, PATHS, type JobPath } from './paths.ts';

/** Reads a mounted file as text. @throws Error with the path, not the content */
export type ReadText = (path: JobPath) => Promise<string>;

export const readText: ReadText = (path) => readFile(path, 'utf8');

interface StoreTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly read: ReadText;
  /** Folder with the mounted volumes. */
  readonly root: string;
}

/** Opens the store. @throws Error if credentials are missing */
export async function openStore(
  { store }: Pick<JobConfig, 'store'>,
  tools: StoreTools,
): Promise<ObjectStore> {
  if (store === 'volume') return createFileStore(join(tools.root, PATHS.volume));
  const { hasCA, podIdentity, ...s3 } = store.s3;
  const ca = hasCA ? { ca: await tools.read(JOB_FILES.storeCA) } : {};
  const credentials =
    podIdentity === undefined
      ? await readCredentials(tools.read)
      : webIdentity(
          {
            ...podIdentity,
            ...ca,
            service: tokenServiceOf(s3.endpoint, s3.region),
            token: () => tools.read(JOB_FILES.token),
          },
          tools.clock,
        );
  return createS3Store({ ...s3, ...ca, credentials }, tools);
}

/** Reads the credentials of the store. @throws Error if a file is missing */
async function readCredentials(read: ReadText): Promise<CredentialSource> {
  const field = async (file: JobPath): Promise<string> => (await read(file)).trim();
  const sessionToken = await field(JOB_FILES.sessionToken).catch(() => '');
  return fixedCredentials({
    accessKeyId: await field(JOB_FILES.accessKeyID),
    secretAccessKey: await field(JOB_FILES.secretAccessKey),
    ...(sessionToken !== '' && { sessionToken }),
  });
}

/** Reads the encryption key; undefined for backups without encryption. @throws BackupKeyError, Error */
export async function openKey(
  { encryption }: Pick<JobConfig, 'encryption'>,
  read: ReadText,
): Promise<BackupKey | undefined> {
  if (encryption === 'None') return undefined;
  const keyID = checkedKeyID(encryption.keyID);
  return parseBackupKey(keyID, await read(keyFile(keyID)));
}
