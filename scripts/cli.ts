/** Runs the kubectl plugin from source: `npm run -s cli -- status`. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { fieldSchemas } from '../src/cli/fields/field-schema.ts';
import { processEnvironment } from '../src/cli/program/process-environment.ts';
import { runPlugin } from '../src/cli/program/run.ts';
import { loadTemplates } from '../src/components/templates.ts';
import { operatorVersion } from '../src/options/version.ts';
import { crdArchive } from './image/karmada-module.ts';

const fromProcess = processEnvironment(process, {
  version: operatorVersion,
  templates: () => loadTemplates(join(import.meta.dirname, '../src/components')),
  crdArchive: async (release) => createReadStream(await crdArchive(release)),
  fieldSchemas: async () => {
    const { kindSchemas } = await import('./crd/kinds.ts');
    return fieldSchemas(kindSchemas);
  },
});
// npm runs scripts in the project folder. Relative paths refer to the folder of the user.
const workingDirectory = process.env['INIT_CWD'] ?? fromProcess.workingDirectory;
process.exitCode = await runPlugin(process.argv.slice(2), { ...fromProcess, workingDirectory });
