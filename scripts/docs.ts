/**
 * Writes the pages of docs/reference, the faults in docs/operate/troubleshoot.md, the certificates in docs/security.md, and docs/images. With `--check` it writes nothing and fails if a page is not up to date:
 *
 *     node scripts/run.mjs scripts/docs.ts [--check]
 */
import { runGenerator } from './deploy/run-generator.ts';
import { generatedPages } from './docs/pages.ts';

await runGenerator('node scripts/run.mjs scripts/docs.ts', [generatedPages]);
