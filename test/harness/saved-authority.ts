/** Secret `NAME-ca-backup` from the files of a backup, as docs/operate/backup-restore.md describes it. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { run } from '../embedded-cluster/command.ts';
import { checkout } from '../embedded-cluster/paths.ts';
import { karmadaName } from './backup-scene.ts';

interface SavedObjects {
  readonly secrets: readonly { readonly name: string; readonly data: Record<string, string> }[];
}

/**
 * Reads the Secret without the operator.
 * @param folder path of the folder of the backup
 * @param key its encryption key
 */
export async function savedAuthority({
  folder,
  key,
  namespace,
}: Readonly<Record<'folder' | 'key' | 'namespace', string>>): Promise<KubernetesObject> {
  const copy = mkdtempSync(join(tmpdir(), 'karmada-backup-'));
  try {
    cpSync(folder, copy, { recursive: true });
    writeFileSync(join(copy, 'key'), key);
    const script = join(checkout, 'docs/reference/read-backup.mjs');
    await run(['node', script, copy, join(copy, 'key')], { cwd: copy });
    const objects = readFileSync(join(copy, 'objects.json'), 'utf8');
    const name = `${karmadaName}-ca-backup`;
    const saved = (JSON.parse(objects) as SavedObjects).secrets.find((one) => one.name === name);
    const labels = {
      'app.kubernetes.io/managed-by': 'karmada-operator',
      'app.kubernetes.io/instance': karmadaName,
    };
    const metadata = { name, namespace, labels };
    return { apiVersion: 'v1', kind: 'Secret', metadata, data: saved?.data };
  } finally {
    rmSync(copy, { recursive: true });
  }
}
