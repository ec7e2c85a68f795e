/** Formats the table of a release as a TypeScript file. */
import { format, resolveConfig } from 'prettier';
import type { ReleaseTable } from '../../src/api/releases/release-table.ts';
import { join } from 'node:path';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

/** Returns the path of the table of a release in the checkout. */
export const tablePath = (release: string): string => `src/api/releases/${release}.generated.ts`;

/** Returns the text of the file with the table. */
export async function tableFile(table: ReleaseTable): Promise<string> {
  const text = [
    `/** Facts about Karmada ${table.release}. Generated: npm run release-table -- ${table.release} */`,
    `import type { ReleaseTable } from './release-table.ts';`,
    '',
    `export const table: ReleaseTable = ${JSON.stringify(table)};`,
  ].join('\n');
  const path = join(checkout, tablePath(table.release));
  return format(text, { ...(await resolveConfig(path)), filepath: path });
}
