/** A control plane with backups in a volume, and its restores. */
import { randomBytes } from 'node:crypto';
import type { KarmadaBackup, KarmadaRestore } from '../../src/api/backup/kinds.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import { tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { apply, getObject } from './cluster.ts';
import { VOLUME_CLAIM } from './etcd-scene.ts';
import type { S3 } from './s3.ts';

const apiVersion = 'backup.operator.karmada.io/v1alpha1';

/** Name of the Karmada. */
export const karmadaName = 'karmada';

/** Name of the store. */
const MAIN = 'main';

/** Objects of a namespace with backups. */
export class BackupScene {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  /** Encryption key of the backups. */
  readonly key = randomBytes(32).toString('hex');

  constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** Deletes all that an earlier run left, with the namespace. */
  async clean(): Promise<void> {
    const where = ['-n', this.#namespace, '--timeout=120s'];
    const kinds = 'karmadarestores,karmadabackups,karmadas';
    await tryKubectl(this.#cluster, ['delete', kinds, '--all', ...where]);
    const namespace = ['delete', 'namespace', this.#namespace, '--timeout=180s'];
    await tryKubectl(this.#cluster, namespace);
  }

  #named(name: string): { readonly name: string; readonly namespace: string } {
    return { name, namespace: this.#namespace };
  }

  /** @param more release and settings of components */
  karmada(
    members: number,
    { components = {}, ...more }: { readonly version?: string; readonly components?: object } = {},
  ): object {
    return {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: this.#named(karmadaName),
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
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: this.#named('backups') },
        spec: { accessModes: ['ReadWriteOnce'], resources: storage },
      },
      this.#secret('keys', { k1: this.key }),
      this.#storeAt(name, { volume: { claimName: 'backups', prefix: 'saved' } }),
    ];
  }

  /** Credentials, CA, key and store in a bucket. */
  s3Store({ location, credentials, ca }: S3): readonly object[] {
    const references = { credentialsSecretRef: { name: 's3' }, caSecretRef: { name: 's3-ca' } };
    return [
      this.#secret('s3', credentials),
      this.#secret('s3-ca', { 'ca.crt': ca }),
      this.#secret('keys', { k1: this.key }),
      this.#storeAt(MAIN, { s3: { ...location, prefix: 'saved', ...references } }),
    ];
  }

  #secret(name: string, stringData: object): object {
    return { apiVersion: 'v1', kind: 'Secret', metadata: this.#named(name), stringData };
  }

  #storeAt(name: string, place: object): object {
    const encryption = { mode: 'AES256GCM', keySecretRef: { name: 'keys' }, keyID: 'k1' };
    return {
      ...{ apiVersion, kind: 'KarmadaBackupStore', metadata: this.#named(name) },
      spec: { ...place, encryption },
    };
  }

  backup(name: string, more: object = {}): object {
    return {
      ...{ apiVersion, kind: 'KarmadaBackup', metadata: this.#named(name) },
      spec: { karmadaRef: { name: karmadaName }, storeRef: { name: MAIN }, ...more },
    };
  }

  restore(name: string, backup: string, more: object = {}): object {
    return {
      ...{ apiVersion, kind: 'KarmadaRestore', metadata: this.#named(name) },
      spec: { karmadaRef: { name: karmadaName }, backupRef: { name: backup }, ...more },
    };
  }

  /**
   * Creates a restore, confirms it, and waits until it has a phase.
   * @param phase PropagationPaused, or Complete to let the propagation continue
   */
  async restored(
    name: string,
    backup: string,
    phase: 'PropagationPaused' | 'Complete',
    deadlineMs?: number,
  ): Promise<KarmadaRestore> {
    await apply(this.#cluster, this.restore(name, backup));
    const { status } = await this.untilPhase('AwaitingConfirmation', name, deadlineMs);
    const confirmed = { confirmation: status?.clusterID ?? '' };
    const propagation = phase === 'Complete' ? 'Resumed' : 'Paused';
    await apply(this.#cluster, this.restore(name, backup, { ...confirmed, propagation }));
    return this.untilPhase(phase, name, deadlineMs);
  }

  /** Waits until a backup has ended. */
  untilEnded(name: string): Promise<KarmadaBackup> {
    return poll(
      `KarmadaBackup ${name} has ended`,
      async (seen) => {
        const found = await getObject<KarmadaBackup>(
          ...([this.#cluster, 'karmadabackup', name, this.#namespace] as const),
        );
        seen(JSON.stringify(found.status));
        return ['Verified', 'Failed'].includes(found.status?.phase ?? '') ? found : undefined;
      },
      { deadlineMs: 180_000, intervalMs: 500 },
    );
  }

  /** Waits until a restore has a phase. */
  untilPhase(phase: string, name: string, deadlineMs = 240_000): Promise<KarmadaRestore> {
    return poll(
      `KarmadaRestore ${name} is ${phase}`,
      async (seen) => {
        const restore = await getObject<KarmadaRestore>(
          ...([this.#cluster, 'karmadarestore', name, this.#namespace] as const),
        );
        const karmada = await getObject<Karmada>(
          ...([this.#cluster, 'karmada', karmadaName, this.#namespace] as const),
        );
        const ready = karmada.status?.conditions?.find(({ type }) => type === 'Ready');
        seen(JSON.stringify({ restore: restore.status, ready }));
        return restore.status?.phase === phase ? restore : undefined;
      },
      { deadlineMs, intervalMs: 500 },
    );
  }
}
