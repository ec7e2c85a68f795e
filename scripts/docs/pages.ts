/** The generated pages of docs/reference, the pages with a generated section, and the pictures. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig, type Options } from 'prettier';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { backupCrds } from '../crd/backups.ts';
import { karmadaCrd } from '../crd/karmada.ts';
import { annotationsPage } from './annotations-page.ts';
import { architecturePicture } from './architecture-picture.ts';
import { cliPage } from './cli-page.ts';
import { conditionsPages } from './conditions-page.ts';
import { withFaults } from './faults-section.ts';
import { flagsPage } from './flags-page.ts';
import { withIdentities } from './identities-section.ts';
import { kindPage } from './kind-page.ts';
import { metricsPage } from './metrics-page.ts';
import { statusPicture } from './status-picture.ts';
import { untrustedDataPage } from './untrusted-data-page.ts';

/** Path below the checkout to content. */
type Pages = Readonly<Record<string, string>>;

const TROUBLESHOOT = 'docs/operate/troubleshoot.md';
const SECURITY = 'docs/security.md';

/** Returns all files that `npm run docs` writes, in the format of prettier. */
export async function generatedPages(): Promise<Pages> {
  return {
    ...(await referencePages()),
    [TROUBLESHOOT]: await formatted(withFaults(await pageText(TROUBLESHOOT))),
    [SECURITY]: await formatted(withIdentities(await pageText(SECURITY))),
    'docs/images/architecture.svg': architecturePicture(),
    'docs/images/status.svg': await statusPicture(),
  };
}

const pageText = (path: string): Promise<string> => readFile(join(checkout, path), 'utf8');

async function formatted(text: string, more: Options = {}): Promise<string> {
  const settings = await resolveConfig(join(checkout, TROUBLESHOOT));
  return format(text, { ...settings, parser: 'markdown', ...more });
}

/** Pages of the kinds of backups, by the name of the kind in lower case. */
const backupPages = (): Pages =>
  Object.fromEntries(
    Object.values(backupCrds).map((crd) => [crd.spec.names.kind.toLowerCase(), kindPage(crd)]),
  );

/** Pages of prose, whose sentences continue on further lines. */
const WRAPPED: Options = { proseWrap: 'always', printWidth: 130 };

/** Returns the pages of docs/reference, in the format of prettier. */
export async function referencePages(): Promise<Pages> {
  const pages = {
    annotations: annotationsPage(),
    cli: cliPage(),
    ...conditionsPages(),
    crd: kindPage(karmadaCrd),
    ...backupPages(),
    flags: flagsPage(),
    metrics: await metricsPage(),
    'untrusted-data': untrustedDataPage(),
  };
  const files = Object.entries(pages).map(async ([name, text]) => {
    const options = name.startsWith('conditions/') ? WRAPPED : {};
    return [`docs/reference/${name}.md`, await formatted(text, options)] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}
