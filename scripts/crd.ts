/**
 * Writes the CRDs of the operator, and the TypeScript types of their kinds. With `--check`, fails if a file is out of date:
 *
 *     node scripts/run.mjs scripts/crd.ts [--check]
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { backupFiles, crdFile, remedyFor, renderCrd } from './crd/render.ts';
import { typeFiles } from './crd/types/files.ts';

const stored = (file: URL): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Files of all kinds, except the CRD of Karmada objects. */
async function otherFiles(): Promise<ReadonlyMap<URL, string>> {
  const types = Object.entries(await typeFiles());
  const root = new URL('../', import.meta.url);
  return new Map([
    ...backupFiles(),
    ...types.map(([path, text]) => [new URL(path, root), text] as const),
  ]);
}

async function check(): Promise<number> {
  const isOld = [...(await otherFiles())].some(([file, text]) => stored(file) !== text);
  const remedy = remedyFor(isOld ? '' : stored(crdFile));
  if (remedy !== undefined) console.error(remedy);
  return remedy === undefined ? 0 : 1;
}

async function write(): Promise<number> {
  const { yaml, jsonBytes } = renderCrd();
  mkdirSync(new URL('.', crdFile), { recursive: true });
  writeFileSync(crdFile, yaml);
  for (const [file, content] of await otherFiles()) writeFileSync(file, content);
  console.log(`crds/operator.karmada.io_karmadas.yaml: ${jsonBytes} bytes as compact JSON`);
  return 0;
}

process.exitCode = await (process.argv.includes('--check') ? check() : write());
