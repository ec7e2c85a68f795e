/**
 * Writes the CRD of the operator. With `--check`, fails if the file is out of date:
 *
 *     node scripts/run.mjs scripts/crd.ts [--check]
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { backupFiles, crdFile, remedyFor, renderCrd } from './crd/render.ts';

const stored = (file: URL): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

function check(): number {
  const isOld = [...backupFiles()].some(([file, yaml]) => stored(file) !== yaml);
  const remedy = remedyFor(isOld ? '' : stored(crdFile));
  if (remedy !== undefined) console.error(remedy);
  return remedy === undefined ? 0 : 1;
}

function write(): number {
  const { yaml, jsonBytes } = renderCrd();
  mkdirSync(new URL('.', crdFile), { recursive: true });
  writeFileSync(crdFile, yaml);
  for (const [file, content] of backupFiles()) writeFileSync(file, content);
  console.log(`crds/operator.karmada.io_karmadas.yaml: ${jsonBytes} bytes as compact JSON`);
  return 0;
}

process.exitCode = process.argv.includes('--check') ? check() : write();
