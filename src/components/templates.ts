/** The only file access of this folder: the templates are read once, when the process starts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

import { defaultSpec } from '../api/defaults.ts';
import { renderHost } from './desired.ts';
import { compileTemplates } from './render.ts';
import type { Templates } from './render.ts';

const EXTENSION = '.hbs';

/**
 * Reads and compiles all templates below a directory: `src/components` when run from the sources,
 * and in a bundle the copy of its `*.hbs` files that lies beside it.
 * @param directory absolute path
 * @throws when the directory cannot be read, or holds no template
 */
export function loadTemplates(directory: string): Templates {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(EXTENSION))
    .sort();
  if (paths.length === 0) {
    throw new Error(`There are no templates (*${EXTENSION}) in ${directory}`);
  }
  return compileTemplates(
    new Map(
      paths.map((path) => [path.split(sep).join('/'), readFileSync(join(directory, path), 'utf8')]),
    ),
  );
}

/**
 * Fills every template once, for an instance with all add-ons: a broken one shows when the process starts and not at
 * a user's first Karmada, and the compiled ones are there when it comes.
 * @throws RenderError
 */
export function checkTemplates(templates: Templates): void {
  const addOn = { enabled: true };
  const spec = defaultSpec(
    {
      components: {
        karmadaDescheduler: addOn,
        karmadaSearch: addOn,
        karmadaSchedulerEstimator: addOn,
      },
    },
    { defaultStorageClass: false },
  );
  const estimators = [{ cluster: 'member', accessHash: '' }];
  renderHost(templates, {
    name: 'check',
    namespace: 'check',
    spec,
    certificatesHash: {},
    estimators,
  });
}
