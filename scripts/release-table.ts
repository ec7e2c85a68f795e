/**
 * Writes the table of a Karmada release, `src/api/releases/RELEASE.generated.ts`, from its Go module:
 *
 *     npm run release-table -- v1.18.2
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isReleaseTag } from '../src/api/versions/versions.ts';
import { checkout } from '../tools/embedded-cluster/paths.ts';
import { releaseTable } from './releases/extract.ts';
import { tableFile, tablePath } from './releases/table-file.ts';

const [release, ...rest] = process.argv.slice(2);
if (release === undefined || !isReleaseTag(release) || rest.length > 0) {
  process.stderr.write('usage: npm run release-table -- RELEASE, such as v1.18.2\n');
  process.exitCode = 2;
} else {
  try {
    const path = tablePath(release);
    await writeFile(join(checkout, path), await tableFile(await releaseTable(release)));
    process.stdout.write(`wrote ${path}\n`);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
