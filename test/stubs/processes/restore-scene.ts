/** Backups of a control plane with a real etcd, and their restores. */
import { expect } from '@jest/globals';
import {
  karmadaBackups,
  karmadaRestores,
  type KarmadaBackup,
  type KarmadaRestore,
} from '../../../src/api/backup/kinds.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { BackupObjects } from '../../harness/backup-objects.ts';
import { readBack } from '../../harness/etcd-writer.ts';
import { NEVER, type DataScene } from './data-scene.ts';

const DEADLINE_MS = 300_000;
const FIRST = 'first';

export class RestoreScene {
  readonly #scene: DataScene;
  readonly #objects: BackupObjects;

  private constructor(scene: DataScene) {
    this.#scene = scene;
    this.#objects = new BackupObjects(scene.namespace);
  }

  /** Writes keys and takes a backup of them. */
  static async start(scene: DataScene): Promise<RestoreScene> {
    const restores = new RestoreScene(scene);
    await scene.withOperator(NEVER, async () => {
      for (const object of restores.#objects.store()) await restores.#create(object);
      await restores.save(FIRST);
    });
    return restores;
  }

  /** Writes keys and takes another backup. An operator must run. */
  async save(backup: string): Promise<void> {
    await this.#scene.during(`saved-${backup}`, (written) =>
      poll('the client has written', () => Promise.resolve(written() > 20 || undefined)),
    );
    await this.#create(this.#objects.backup(backup));
    await this.#untilPhase(karmadaBackups, backup, 'Verified');
  }

  /** Restores a backup, and expects its keys and no newer one. @param name of the restore */
  async restore(name: string, backup = FIRST): Promise<void> {
    const { client } = this.#scene.cluster;
    const { keys, namespace } = this.#scene;
    const newer = `newer-${name}`;
    const metadata = { name: newer, namespace: 'default' };
    await keys.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: newer } });
    await this.#create(this.#objects.restore(name, backup));
    await this.#untilPhase(karmadaRestores, name, 'AwaitingConfirmation');
    const key = { namespace, name };
    const { status } = (await client.get(karmadaRestores, key)) as KarmadaRestore;
    const spec = { confirmation: status?.clusterID, propagation: 'Resumed' };
    await client.patch(karmadaRestores, key, { spec });
    await this.#untilPhase(karmadaRestores, name, 'Complete');
    await this.#scene.untilMembers(1);
    await this.#scene.verify();
    expect(await readBack(keys.asClient(), [newer])).toEqual([newer]);
  }

  /** Deletes the PVCs that restores keep. @returns their number */
  async deleteKept(): Promise<number> {
    const { client } = this.#scene.cluster;
    const { namespace } = this.#scene;
    const selection = { namespace, labelSelector: 'operator.karmada.io/etcd-kept' };
    const { items } = await client.list(resources.PersistentVolumeClaim, selection);
    for (const { metadata } of items)
      await client.delete(resources.PersistentVolumeClaim, { namespace, name: metadata.name });
    return items.length;
  }

  #create(object: object): Promise<unknown> {
    return this.#scene.cluster.client.create(object as KubernetesObject);
  }

  async #untilPhase(type: ResourceType, name: string, phase: string): Promise<void> {
    const { cluster, namespace } = this.#scene;
    await poll(
      `${type.kind} ${name} is ${phase}`,
      async (seen) => {
        const found = await cluster.client.get(type, { namespace, name });
        const { status } = found as KarmadaBackup | KarmadaRestore;
        seen(JSON.stringify(status));
        return status?.phase === phase || undefined;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }
}
