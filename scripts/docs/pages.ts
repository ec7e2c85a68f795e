/** The generated pages of docs/reference. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, type Options } from 'prettier';
import { checkout } from '../../test/embedded-cluster/paths.ts';
import { annotationsPage } from './annotations-page.ts';
import { cliPage } from './cli-page.ts';
import { conditionsPage } from './conditions-page.ts';
import { crdPage } from './crd-page.ts';
import { flagsPage } from './flags-page.ts';
import { metricsPage } from './metrics-page.ts';
import { untrustedDataPage } from './untrusted-data-page.ts';

/** Returns path below the checkout to content, in the format of prettier. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  const settings = JSON.parse(
    await readFile(join(checkout, '.prettierrc.json'), 'utf8'),
  ) as Options;
  const pages = {
    annotations: annotationsPage(),
    cli: cliPage(),
    conditions: conditionsPage(),
    crd: crdPage(),
    flags: flagsPage(),
    metrics: await metricsPage(),
    'untrusted-data': untrustedDataPage(),
  };
  const files = Object.entries(pages).map(
    async ([name, text]) =>
      [
        `docs/reference/${name}.md`,
        await format(text, { ...settings, parser: 'markdown' }),
      ] as const,
  );
  return Object.fromEntries(await Promise.all(files));
}
