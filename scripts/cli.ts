/** Runs the kubectl plugin from source: `npm run -s cli -- status`. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { fieldSchemas } from '../src/cli/fields/field-schema.ts';
import { processEnvironment } from '../src/cli/program/process-environment.ts';
import { runPlugin } from '../src/cli/program/run.ts';
import { loadTemplates } from '../src/components/templates.ts';
import { operatorVersion } from '../src/options/version.ts';
import { crdArchive } from './image/karmada-module.ts';

const environment = processEnvironment(process, {
  version: operatorVersion,
  templates: () => loadTemplates(join(import.meta.dirname, '../src/components')),
  crdArchive: async (release) => createReadStream(await crdArchive(release)),
  fieldSchemas: async () => {
    const { kindSchemas } = await import('./crd/kinds.ts');
    return fieldSchemas(kindSchemas);
  },
});
process.exitCode = await runPlugin(process.argv.slice(2), environment);
