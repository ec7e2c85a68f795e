/** Entry of the bundled kubectl plugin `kubectl karmada-operator`. `scripts/cli.ts` is the entry from source. */
import { Readable } from 'node:stream';
import type { FieldSchemas } from './cli/fields/field-schema.ts';
import { processEnvironment } from './cli/program/process-environment.ts';
import { runPlugin } from './cli/program/run.ts';
import { compileTemplates } from './components/render.ts';
import { operatorVersion } from './options/version.ts';

/** Set by the bundler: texts of the templates by path, CRD archives by release (base64), and the fields of the kinds. */
declare const PLUGIN_ASSETS: {
  readonly templates: Readonly<Record<string, string>>;
  readonly archives: Readonly<Record<string, string>>;
  readonly fieldSchemas: FieldSchemas;
};

function crdArchive(release: string): Promise<Readable> {
  const content = PLUGIN_ASSETS.archives[release];
  if (content === undefined)
    return Promise.reject(
      new Error(`no CRDs of Karmada ${release}; provide them with --crds FILE`),
    );
  return Promise.resolve(Readable.from([Buffer.from(content, 'base64')]));
}

async function main(): Promise<void> {
  const environment = processEnvironment(process, {
    version: operatorVersion,
    templates: () => compileTemplates(new Map(Object.entries(PLUGIN_ASSETS.templates))),
    crdArchive,
    fieldSchemas: () => Promise.resolve(PLUGIN_ASSETS.fieldSchemas),
  });
  process.exitCode = await runPlugin(process.argv.slice(2), environment);
}

void main();
