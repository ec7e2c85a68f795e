/** Objects of a control plane with backups: pure, except for the random key. */
import { randomBytes } from 'node:crypto';
import { documentedStore } from './documented-store.ts';
import { VOLUME_CLAIM } from './etcd-scene.ts';
import type { S3 } from './s3.ts';

const apiVersion = 'backup.operator.karmada.io/v1alpha1';

/** Name of the Karmada. */
export const karmadaName = 'karmada';

const DOCUMENTED = documentedStore();
/** Name of the store. */
const MAIN = DOCUMENTED.metadata.name;
/** Name of the Secret with the encryption key. */
export const KEY_SECRET = DOCUMENTED.spec.encryption.keySecretRef?.name ?? '';
/** Name of the Secret with the credentials of the bucket. */
const CREDENTIALS = DOCUMENTED.spec.s3?.credentialsSecretRef?.name ?? '';

/** Objects of a namespace with backups. */
export class BackupObjects {
  readonly namespace: string;
  /** Name of the Karmada. */
  readonly karmadaName: string;
  /** Encryption key of the backups. */
  readonly key = randomBytes(32).toString('hex');

  constructor(namespace: string, name = karmadaName) {
    this.namespace = namespace;
    this.karmadaName = name;
  }

  #named(name: string): { readonly name: string; readonly namespace: string } {
    return { name, namespace: this.namespace };
  }

  /** @param more release and settings of components */
  karmada(
    members: number,
    { components = {}, ...more }: { readonly version?: string; readonly components?: object } = {},
  ): object {
    return {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: this.#named(this.karmadaName),
      spec: {
        ...more,
        components: {
          etcd: { local: { replicas: members, volumeData: VOLUME_CLAIM } },
          karmadaMetricsAdapter: { enabled: false },
          ...components,
        },
      },
    };
  }

  /** PVC, key and store. */
  store(name = MAIN): readonly object[] {
    const storage = { requests: { storage: '1Gi' } };
    return [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: this.#named('backups'),
        spec: { accessModes: ['ReadWriteOnce'], resources: storage },
      },
      this.#secret(KEY_SECRET, { k1: this.key }),
      this.#storeAt(name, { volume: { claimName: 'backups', prefix: 'saved' } }),
    ];
  }

  /** Credentials, CA, key and store in a bucket. */
  s3Store({ location, credentials, ca }: S3): readonly object[] {
    const references = {
      credentialsSecretRef: { name: CREDENTIALS },
      caSecretRef: { name: 's3-ca' },
    };
    return [
      this.#secret(CREDENTIALS, credentials),
      this.#secret('s3-ca', { 'ca.crt': ca }),
      this.#secret(KEY_SECRET, { k1: this.key }),
      this.#storeAt(MAIN, { s3: { ...location, prefix: 'saved', ...references } }),
    ];
  }

  #secret(name: string, stringData: object): object {
    return { apiVersion: 'v1', kind: 'Secret', metadata: this.#named(name), stringData };
  }

  #storeAt(name: string, place: object): object {
    const { encryption } = DOCUMENTED.spec;
    return {
      apiVersion,
      kind: 'KarmadaBackupStore',
      metadata: this.#named(name),
      spec: { ...place, encryption },
    };
  }

  backup(name: string, more: object = {}): object {
    return {
      apiVersion,
      kind: 'KarmadaBackup',
      metadata: this.#named(name),
      spec: { karmadaRef: { name: this.karmadaName }, storeRef: { name: MAIN }, ...more },
    };
  }

  restore(name: string, backup: string, more: object = {}): object {
    return {
      apiVersion,
      kind: 'KarmadaRestore',
      metadata: this.#named(name),
      spec: { karmadaRef: { name: this.karmadaName }, backupRef: { name: backup }, ...more },
    };
  }
}
