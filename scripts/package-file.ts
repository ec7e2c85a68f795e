/** The package.json of this project and of npm packages. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fields, isText, optional } from '../src/untrusted/checks.ts';
import { parseJson } from '../tools/embedded-cluster/parse-json.ts';

const isPackage = fields({
  name: isText,
  version: isText,
  license: optional(isText),
  engines: optional(fields({ node: optional(isText) })),
});

/** Reads package.json in a folder. */
export async function readPackage(folder: string): Promise<PackageFile> {
  const file = join(folder, 'package.json');
  return parseJson(await readFile(file, 'utf8'), isPackage, file);
}

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly license?: string | undefined;
  readonly engines?: { readonly node?: string | undefined } | undefined;
}
