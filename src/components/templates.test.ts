import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { DIRECTORY, TEMPLATES } from './__fixtures__/golden.ts';
import { FULL } from './__fixtures__/inputs.ts';
import { renderHost } from './desired.ts';
import { loadTemplates } from './templates.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'templates-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('4. templates on disk', () => {
  it('work from a copy of their files alone, as it lies beside a bundle', () => {
    for (const path of readdirSync(DIRECTORY, { recursive: true, encoding: 'utf8' })) {
      if (path.endsWith('.hbs')) cpSync(join(DIRECTORY, path), join(directory, path));
    }
    expect(renderHost(loadTemplates(directory), FULL)).toEqual(renderHost(TEMPLATES, FULL));
  });

  it('a directory without templates is an error at the start, not at the first reconcile', () => {
    expect(() => loadTemplates(directory)).toThrow(
      `There are no templates (*.hbs) in ${directory}`,
    );
    expect(() => loadTemplates(join(directory, 'missing'))).toThrow(/ENOENT/);
  });
});
