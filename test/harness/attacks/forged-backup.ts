/** Attack of the writer of a backup store: manifests that name a file outside the folder of the keys as their key. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { karmadaBackups, type KarmadaBackup } from '../../../src/api/backup/kinds.ts';
import { parseBackupKey } from '../../../src/backup/format/key.ts';
import { decodeManifest, encodeManifest } from '../../../src/backup/format/manifest.ts';
import { MANIFEST } from '../../../src/backup/format/manifest-type.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { BackupScene } from '../backup-scene.ts';
import { apply } from '../cluster.ts';
import { numbered } from '../hosts/fleet.ts';
import type { Attack } from './attack.ts';
import { OWN } from './estimators.ts';

/** Key of the attacker, as a file of the volume, and the path to it from the folder of the keys. */
const EVIL = {
  file: 'evil',
  keyID: '../../../var/lib/karmada-backup/store/evil',
  key: 'b2'.repeat(32),
};

/**
 * Takes a backup of the control plane of the attacker, copies it in the volume, and authenticates the copy with another
 * key, which the manifest of the copy names by a path.
 * @param cluster whose volumes are folders of this machine
 * @param most number of KarmadaBackups of the copy
 */
export async function forgedBackupAttack(cluster: Cluster, most = 5): Promise<Attack> {
  const scene = new BackupScene(cluster, OWN.namespace);
  await apply(cluster, ...scene.store(), scene.backup('saved'));
  const { status } = await scene.untilEnded('saved');
  if (status?.phase !== 'Verified') throw new Error(`no backup: ${JSON.stringify(status)}`);
  const folder = status.folder ?? '';
  const forged = folder.replace(/[0-9a-f]{8}$/, 'f0f0f0f0');
  const root = await scene.volume();
  await cp(join(root, folder), join(root, forged), { recursive: true });
  await writeFile(join(root, EVIL.file), EVIL.key);
  const path = join(root, forged, MANIFEST);
  const manifest = decodeManifest(await readFile(path), parseBackupKey('k1', scene.key));
  const encryption = { keyID: EVIL.keyID, salt: '00'.repeat(32) };
  const evil = parseBackupKey('evil', EVIL.key);
  await writeFile(path, encodeManifest({ ...manifest, encryption }, evil));
  const names = numbered('forged', most);
  return {
    namespaces: [],
    objects: names.map((name) => scene.backup(name, { folder: forged }) as KubernetesObject),
    async reached(client) {
      const place = { namespace: OWN.namespace, name: names[0] ?? '' };
      return poll(
        `KarmadaBackup ${place.name} has failed`,
        async (seen) => {
          const { status: now } = (await client.get(karmadaBackups, place)) as KarmadaBackup;
          seen(JSON.stringify(now));
          if (now?.phase === 'Verified') throw new Error('the forged backup counts as verified');
          return now?.phase === 'Failed' ? JSON.stringify(now.conditions) : undefined;
        },
        { deadlineMs: 300_000 },
      );
    },
  };
}
