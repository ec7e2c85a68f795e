/**
 * Writes the CRD of the operator, or with `--check` tells whether the file is up to date:
 *
 *     node scripts/run.mjs scripts/crd.ts [--check]
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { crdFile, renderCrd } from './crd/render.ts';

function main(check: boolean): number {
  const rendered = renderCrd();
  const size = `${rendered.jsonBytes} bytes as compact JSON`;
  if (check) {
    const stored = existsSync(crdFile) ? readFileSync(crdFile, 'utf8') : '';
    if (stored === rendered.yaml) return 0;
    console.error('The CRD in crds/ is out of date: run `node scripts/run.mjs scripts/crd.ts`.');
    return 1;
  }
  mkdirSync(new URL('.', crdFile), { recursive: true });
  writeFileSync(crdFile, rendered.yaml);
  console.log(`crds/operator.karmada.io_karmadas.yaml: ${size}`);
  return 0;
}

process.exitCode = main(process.argv.includes('--check'));
