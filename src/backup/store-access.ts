/**
 * What a Pod needs to read or write backups in a store: pure. In a remote host cluster the Secrets of the store do not exist. The
 * operator then copies the keys that are needed into the Secret with the configuration.
 */
import type { KarmadaBackupStore } from '../api/backup/kinds.ts';
import type { PodSpec } from '../components/workload.ts';
import type { JobConfig } from './job/config.ts';
import { PATHS } from './job/paths.ts';
import { tokenServiceOf } from './stores/token-service.ts';
import type { ObjectLock } from './stores/new-object-headers.ts';

type Volume = NonNullable<PodSpec['volumes']>[number];
type VolumeMount = NonNullable<PodSpec['containers'][number]['volumeMounts']>[number];

/** Volume with the token of a ServiceAccount. */
const IDENTITY = 'identity';
/** Validity of the token. The kubelet renews it after 80 % of this time. */
const TOKEN_SECONDS = 3_600;

/** Configuration of a store, without credentials. */
export function storeConfig({
  spec: { s3, encryption },
}: KarmadaBackupStore): Pick<JobConfig, 'store' | 'encryption'> {
  const store =
    s3 === undefined
      ? 'volume'
      : {
          s3: {
            endpoint: s3.endpoint,
            region: s3.region,
            bucket: s3.bucket,
            pathStyle: s3.pathStyle ?? false,
            hasCA: s3.caSecretRef !== undefined,
            ...(s3.podIdentity && { podIdentity: roleOf(s3.podIdentity) }),
            ...(s3.sse && { sse: s3.sse }),
            ...(s3.objectLock && { objectLock: lockOf(s3.objectLock) }),
          },
        };
  const key = encryption.mode === 'None' ? 'None' : { keyID: encryption.keyID ?? '' };
  return { store, encryption: key };
}

const roleOf = ({ roleARN }: { readonly roleARN?: string }): { readonly roleARN?: string } =>
  roleARN === undefined ? {} : { roleARN };

const lockOf = ({
  mode,
  days,
}: NonNullable<NonNullable<KarmadaBackupStore['spec']['s3']>['objectLock']>): ObjectLock => ({
  mode,
  seconds: days * 86_400,
});

/** A read-only mount of such a volume. */
export const secretMount = (name: string, mountPath: string): VolumeMount => ({
  name,
  mountPath,
  readOnly: true,
});

/** Mounts of the configuration, the store, its credentials and its keys. */
export const storeMounts = ({
  spec: { s3, encryption },
}: KarmadaBackupStore): readonly VolumeMount[] => [
  secretMount('secret-config', PATHS.config),
  ...(s3 === undefined ? [{ name: 'store', mountPath: PATHS.volume }] : []),
  ...(s3?.credentialsSecretRef === undefined
    ? []
    : [secretMount(STORE_SECRETS.credentials.volume, PATHS.credentials)]),
  ...(s3?.podIdentity === undefined ? [] : [secretMount(IDENTITY, PATHS.identity)]),
  ...(s3?.caSecretRef === undefined
    ? []
    : [secretMount(STORE_SECRETS.storeCA.volume, PATHS.storeCA)]),
  ...(encryption.mode === 'None' ? [] : [secretMount(STORE_SECRETS.keys.volume, PATHS.keys)]),
];

/** A volume with the content of a Secret. @param keys all of them if absent */
export const secretVolume = (
  name: string,
  secretName: string,
  keys?: readonly string[],
): Volume => ({
  name,
  secret: {
    secretName,
    defaultMode: 0o440,
    ...(keys && { items: keys.map((key) => ({ key, path: key })) }),
  },
});

/** Secrets of a store, their field in the KarmadaBackupStore, and the prefix of their keys in a copy. */
export const STORE_SECRETS = {
  credentials: {
    volume: 'secret-credentials',
    prefix: 'credentials.',
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
}: KarmadaBackupStore): readonly (readonly [keyof typeof STORE_SECRETS, string])[] => [
  ...nameIn('credentials', s3?.credentialsSecretRef),
  ...nameIn('storeCA', s3?.caSecretRef),
  ...(encryption.mode === 'None' ? [] : nameIn('keys', encryption.keySecretRef)),
];

const nameIn = (
  secret: keyof typeof STORE_SECRETS,
  reference: { readonly name: string } | undefined,
): readonly (readonly [keyof typeof STORE_SECRETS, string])[] =>
  reference === undefined ? [] : [[secret, reference.name]];

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
  const { volume, s3 } = store.spec;
  return [
    secretVolume('secret-config', config),
    ...(volume === undefined
      ? []
      : [{ name: 'store', persistentVolumeClaim: { claimName: volume.claimName } }]),
    ...(s3?.podIdentity === undefined ? [] : [tokenVolume(s3)]),
    ...storeSecretNames(store).map(([secret, name]) =>
      copied === undefined
        ? secretVolume(STORE_SECRETS[secret].volume, name)
        : copiedVolume(STORE_SECRETS[secret], config, copied),
    ),
  ];
}

/** ServiceAccount of a Pod; that of the namespace if absent. */
export interface PodAccount {
  readonly serviceAccountName?: string;
}

/** ServiceAccount of the Pods of a store. They mount no token for the API server. */
export function storeAccount({ spec: { s3 } }: KarmadaBackupStore): PodAccount {
  const name = s3?.podIdentity?.serviceAccountName;
  return name === undefined ? {} : { serviceAccountName: name };
}

/** A volume with a token that only the token service of the server accepts. */
const tokenVolume = ({
  endpoint,
  region,
}: Readonly<Record<'endpoint' | 'region', string>>): Volume => ({
  name: IDENTITY,
  projected: {
    defaultMode: 0o440,
    sources: [
      {
        serviceAccountToken: {
          audience: tokenServiceOf(endpoint, region).audience,
          expirationSeconds: TOKEN_SECONDS,
          path: 'token',
        },
      },
    ],
  },
});

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
