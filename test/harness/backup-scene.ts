/** A control plane with backups in a volume, and its restores. */
import type { KarmadaBackup, KarmadaRestore } from '../../src/api/backup/kinds.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import { tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, getObject } from './cluster.ts';
import { BackupObjects } from './backup-objects.ts';

/** A namespace with backups in a cluster. */
export class BackupScene extends BackupObjects {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster, namespace: string, name?: string) {
    super(namespace, name);
    this.#cluster = cluster;
  }

  /** Deletes all that an earlier run left, with the namespace. */
  async clean(): Promise<void> {
    const where = ['-n', this.namespace, '--timeout=120s'];
    const kinds = 'karmadarestores,karmadabackups,karmadas';
    await tryKubectl(this.#cluster, ['delete', kinds, '--all', ...where]);
    const namespace = ['delete', 'namespace', this.namespace, '--timeout=180s'];
    await tryKubectl(this.#cluster, namespace);
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

  /** Root of the volume of the store, a folder of this machine. */
  async volume(): Promise<string> {
    const claim = await getObject<{ spec: { volumeName: string } }>(
      ...([this.#cluster, 'pvc', 'backups', this.namespace] as const),
    );
    const volume = await getObject<{ spec: { local: { path: string } } }>(
      ...([this.#cluster, 'pv', claim.spec.volumeName, ''] as const),
    );
    return volume.spec.local.path;
  }

  /** Waits until a backup has ended. */
  untilEnded(name: string): Promise<KarmadaBackup> {
    return poll(
      `KarmadaBackup ${name} has ended`,
      async (seen) => {
        const found = await getObject<KarmadaBackup>(
          ...([this.#cluster, 'karmadabackup', name, this.namespace] as const),
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
          ...([this.#cluster, 'karmadarestore', name, this.namespace] as const),
        );
        const karmada = await getObject<Karmada>(
          ...([this.#cluster, 'karmada', this.karmadaName, this.namespace] as const),
        );
        const ready = karmada.status?.conditions?.find(({ type }) => type === 'Ready');
        seen(JSON.stringify({ restore: restore.status, ready }));
        return restore.status?.phase === phase ? restore : undefined;
      },
      { deadlineMs, intervalMs: 500 },
    );
  }
}
