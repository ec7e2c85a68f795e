/** The store of the page for users. Stores of tests have its names, so that the commands of the pages work with it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KarmadaBackupStore } from '../../src/api/backup/kinds.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

const PAGE = 'docs/operate/backup-restore.md';

/** First KarmadaBackupStore of the page. */
export function documentedStore(): KarmadaBackupStore {
  const page = readFileSync(join(checkout, PAGE), 'utf8');
  const blocks = [...page.matchAll(/^( *)```yaml\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  const found = blocks
    .flatMap((text) => loadAll(text) as KubernetesObject[])
    .find(({ kind }) => kind === 'KarmadaBackupStore');
  if (found === undefined) throw new Error(`${PAGE}: no KarmadaBackupStore`);
  return found as KarmadaBackupStore;
}
