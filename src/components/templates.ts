/** Reads the templates once at process start. No other module of this folder accesses files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

import { keysInstalled } from '../api/component-catalog.ts';
import { defaultSpec } from '../api/defaults/defaults.ts';
import { recordOf } from '../kubernetes/objects/records.ts';
import { renderHost } from './desired.ts';
import { compileTemplates } from './render.ts';
import type { Templates } from './render.ts';

const EXTENSION = '.hbs';

/**
 * Reads and compiles all templates below a directory. The directory is `src/components` when the
 * operator runs from source, and the copy of the `*.hbs` files next to the bundle otherwise.
 * @param directory absolute path
 * @throws Error when the directory cannot be read or contains no template
 */
export function loadTemplates(directory: string): Templates {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(EXTENSION))
    .sort();
  if (paths.length === 0) {
    throw new Error(`No templates (*${EXTENSION}) found in ${directory}`);
  }
  return compileTemplates(
    new Map(
      paths.map((path) => [path.split(sep).join('/'), readFileSync(join(directory, path), 'utf8')]),
    ),
  );
}

/**
 * Renders every template once, for a control plane with all add-ons. A broken template then fails the process start
 * instead of the first reconcile. Handlebars compiles on first use, so this call also warms the compiled templates.
 * @throws RenderError when a template cannot be rendered
 */
export function checkTemplates(templates: Templates): void {
  const components = recordOf(
    keysInstalled('request').map((key) => [key, { enabled: true }] as const),
  );
  const spec = defaultSpec({ components }, { defaultStorageClass: false });
  const estimators = [{ cluster: 'member', accessHash: '' }];
  renderHost(templates, {
    name: 'check',
    namespace: 'check',
    spec,
    certificatesHash: {},
    estimators,
  });
}
