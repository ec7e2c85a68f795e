import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { DIRECTORY, TEMPLATES } from './__fixtures__/golden.ts';
import { FULL } from './__fixtures__/inputs.ts';
import { renderHost } from './desired.ts';
import { checkTemplates, loadTemplates } from './templates.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'templates-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Copies the template files, without any other file, to `directory`. */
function copyTemplates(): readonly string[] {
  const paths = readdirSync(DIRECTORY, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.hbs'),
  );
  for (const path of paths) cpSync(join(DIRECTORY, path), join(directory, path));
  return paths;
}

describe('loadTemplates', () => {
  it('renders the same objects when it loads a copy of only the template files', () => {
    copyTemplates();
    expect(renderHost(loadTemplates(directory), FULL)).toEqual(renderHost(TEMPLATES, FULL));
  });

  it('lets checkTemplates name the file when the template of any component is broken', () => {
    const components = copyTemplates().filter((path) => !path.startsWith('partials'));
    expect(() => checkTemplates(loadTemplates(directory))).not.toThrow();
    expect(components.length).toBeGreaterThan(10);
    for (const path of components) {
      appendFileSync(join(directory, path), '\nbroken: {{nothing}}\n');
      expect(() => checkTemplates(loadTemplates(directory))).toThrow(path);
      cpSync(join(DIRECTORY, path), join(directory, path));
    }
  });

  it('throws when the directory is missing or contains no templates', () => {
    expect(() => loadTemplates(directory)).toThrow(`No templates (*.hbs) found in ${directory}`);
    expect(() => loadTemplates(join(directory, 'missing'))).toThrow(/ENOENT/);
  });
});
