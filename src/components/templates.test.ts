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

/** The templates and nothing else. */
function copyTemplates(): readonly string[] {
  const paths = readdirSync(DIRECTORY, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.hbs'),
  );
  for (const path of paths) cpSync(join(DIRECTORY, path), join(directory, path));
  return paths;
}

describe('templates on disk', () => {
  it('work from a copy of their files alone, as it lies beside a bundle', () => {
    copyTemplates();
    expect(renderHost(loadTemplates(directory), FULL)).toEqual(renderHost(TEMPLATES, FULL));
  });

  it('a broken one of any component shows when the process starts', () => {
    const components = copyTemplates().filter((path) => !path.startsWith('partials'));
    expect(() => checkTemplates(loadTemplates(directory))).not.toThrow();
    expect(components.length).toBeGreaterThan(10);
    for (const path of components) {
      appendFileSync(join(directory, path), '\nbroken: {{nothing}}\n');
      expect(() => checkTemplates(loadTemplates(directory))).toThrow(path);
      cpSync(join(DIRECTORY, path), join(directory, path));
    }
  });

  it('a directory without templates is an error at the start, not at the first reconcile', () => {
    expect(() => loadTemplates(directory)).toThrow(
      `There are no templates (*.hbs) in ${directory}`,
    );
    expect(() => loadTemplates(join(directory, 'missing'))).toThrow(/ENOENT/);
  });
});
