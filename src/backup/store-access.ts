/** What a Pod needs to read or write backups in a store: pure. */
import type { KarmadaBackupStore } from '../api/backup/kinds.ts';
import type { PodSpec } from '../components/workload.ts';
import type { JobConfig } from './job/config.ts';
import { PATHS } from './job/paths.ts';

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
          },
        };
  const key = encryption.mode === 'None' ? 'None' : { keyID: encryption.keyID ?? '' };
  return { store, encryption: key };
}

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
    : secretMount('secret-credentials', PATHS.credentials),
  ...(s3?.caSecretRef === undefined ? [] : [secretMount('secret-store-ca', PATHS.storeCA)]),
  ...(encryption.mode === 'None' ? [] : [secretMount('secret-keys', PATHS.keys)]),
];

/** A volume with the content of a Secret. */
export const secretVolume = (name: string, secretName: string): Volume => ({
  name,
  secret: { secretName, defaultMode: 0o440 },
});

/** Volumes of these mounts. @param config name of the Secret with the configuration */
export function storeVolumes({ spec }: KarmadaBackupStore, config: string): readonly Volume[] {
  const { s3, volume, encryption } = spec;
  const key = encryption.mode === 'None' ? undefined : encryption.keySecretRef;
  return [
    secretVolume('secret-config', config),
    ...(volume === undefined
      ? []
      : [{ name: 'store', persistentVolumeClaim: { claimName: volume.claimName } }]),
    ...(s3 === undefined ? [] : [secretVolume('secret-credentials', s3.credentialsSecretRef.name)]),
    ...(s3?.caSecretRef ? [secretVolume('secret-store-ca', s3.caSecretRef.name)] : []),
    ...(key === undefined ? [] : [secretVolume('secret-keys', key.name)]),
  ];
}
