/** Secret `NAME-ca-backup` from the files of a backup, as docs/operate/backup-restore.md describes it. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

/**
 * Reads the Secret without the operator.
 * @param folder path of the folder of the backup
 * @param key its encryption key
 */
export async function savedAuthority({
  folder,
  key,
}: Readonly<Record<'folder' | 'key', string>>): Promise<KubernetesObject> {
  const copy = mkdtempSync(join(tmpdir(), 'karmada-backup-'));
  try {
    cpSync(folder, copy, { recursive: true });
    writeFileSync(join(copy, 'key'), key);
    const script = join(checkout, 'docs/reference/read-backup.mjs');
    await run(['node', script, copy, join(copy, 'key')], { cwd: copy });
    const list = readFileSync(join(copy, 'control-plane.json'), 'utf8');
    const [secret] = (JSON.parse(list) as { items: readonly KubernetesObject[] }).items;
    if (secret === undefined) throw new Error('the backup has no CAs');
    return secret;
  } finally {
    rmSync(copy, { recursive: true });
  }
}
