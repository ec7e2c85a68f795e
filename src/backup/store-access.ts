/**
 * What a Pod needs to read or write backups in a store: pure. In a remote host cluster the Secrets of the store do not exist. The
 * operator then copies the keys that are needed into the Secret with the configuration.
 */
import type { KarmadaBackupStore } from '../api/backup/kinds.ts';
import type { PodSpec } from '../components/workload.ts';
import type { JobConfig } from './job/config.ts';
import { PATHS } from './job/paths.ts';
import type { ObjectLock } from './stores/new-object-headers.ts';

type Volume = NonNullable<PodSpec['volumes']>[number];
type VolumeMount = NonNullable<PodSpec['containers'][number]['volumeMounts']>[number];

/** Configuration of a store, without credentials. */
export function storeConfig({
  spec: { s3, encryption },
}: KarmadaBackupStore): Pick<JobConfig, 'store' | 'encryption'> {
  const store =
    s3 === undefined
      ? 'volume'
      : {
          s3: {
            ...{ endpoint: s3.endpoint, region: s3.region, bucket: s3.bucket },
            ...{ pathStyle: s3.pathStyle ?? false, hasCA: s3.caSecretRef !== undefined },
            ...(s3.sse && { sse: s3.sse }),
            ...(s3.objectLock && { objectLock: lockOf(s3.objectLock) }),
          },
        };
  const key = encryption.mode === 'None' ? 'None' : { keyID: encryption.keyID ?? '' };
  return { store, encryption: key };
}

const lockOf = ({
  mode,
  days,
}: NonNullable<NonNullable<KarmadaBackupStore['spec']['s3']>['objectLock']>): ObjectLock => ({
  ...{ mode, seconds: days * 86_400 },
});

/** A read-only mount of such a volume. */
export const secretMount = (name: string, mountPath: string): VolumeMount => ({
  ...{ name, mountPath, readOnly: true },
});

/** Mounts of the configuration, the store, its credentials and its keys. */
export const storeMounts = ({
  spec: { s3, encryption },
}: KarmadaBackupStore): readonly VolumeMount[] => [
  secretMount('secret-config', PATHS.config),
  s3 === undefined
    ? { name: 'store', mountPath: PATHS.volume }
    : secretMount(STORE_SECRETS.credentials.volume, PATHS.credentials),
  ...(s3?.caSecretRef === undefined
    ? []
    : [secretMount(STORE_SECRETS.storeCA.volume, PATHS.storeCA)]),
  ...(encryption.mode === 'None' ? [] : [secretMount(STORE_SECRETS.keys.volume, PATHS.keys)]),
];

/** A volume with the content of a Secret. */
export const secretVolume = (name: string, secretName: string): Volume => ({
  name,
  secret: { secretName, defaultMode: 0o440 },
});

/** Secrets of a store, their field in the KarmadaBackupStore, and the prefix of their keys in a copy. */
export const STORE_SECRETS = {
  credentials: {
    ...{ volume: 'secret-credentials', prefix: 'credentials.' },
    field: 'spec.s3.credentialsSecretRef',
  },
  storeCA: { volume: 'secret-store-ca', prefix: 'store-ca.', field: 'spec.s3.caSecretRef' },
  keys: { volume: 'secret-keys', prefix: 'keys.', field: 'spec.encryption.keySecretRef' },
} as const;

/** Names of the keys that were copied into the Secret with the configuration. */
export type CopiedKeys = readonly string[];

/** Names of the Secrets that a store references. */
export const storeSecretNames = ({
  spec: { s3, encryption },
}: KarmadaBackupStore): Partial<Readonly<Record<keyof typeof STORE_SECRETS, string>>> => ({
  ...(s3 !== undefined && { credentials: s3.credentialsSecretRef.name }),
  ...(s3?.caSecretRef !== undefined && { storeCA: s3.caSecretRef.name }),
  ...(encryption.mode !== 'None' &&
    encryption.keySecretRef !== undefined && { keys: encryption.keySecretRef.name }),
});

/**
 * Volumes of these mounts.
 * @param config name of the Secret with the configuration
 * @param copied its keys that contain copies; undefined if the Pod mounts the Secrets of the store
 */
export function storeVolumes(
  store: KarmadaBackupStore,
  config: string,
  copied?: CopiedKeys,
): readonly Volume[] {
  const { volume } = store.spec;
  const names = Object.entries(storeSecretNames(store)) as [keyof typeof STORE_SECRETS, string][];
  return [
    secretVolume('secret-config', config),
    ...(volume === undefined
      ? []
      : [{ name: 'store', persistentVolumeClaim: { claimName: volume.claimName } }]),
    ...names.map(([secret, name]) =>
      copied === undefined
        ? secretVolume(STORE_SECRETS[secret].volume, name)
        : copiedVolume(STORE_SECRETS[secret], config, copied),
    ),
  ];
}

/** A volume with the files of one Secret, from their copies. */
function copiedVolume(
  { volume, prefix }: Readonly<Record<'volume' | 'prefix', string>>,
  config: string,
  copied: CopiedKeys,
): Volume {
  const keys = copied.filter((key) => key.startsWith(prefix));
  const items = keys.map((key) => ({ key, path: key.slice(prefix.length) }));
  return { name: volume, secret: { secretName: config, defaultMode: 0o440, items } };
}
