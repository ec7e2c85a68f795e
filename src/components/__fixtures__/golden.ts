/** Compares rendered objects with a stored file, and writes the file when UPDATE_GOLDENS is set. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { dump, loadAll } from 'js-yaml';

import { loadTemplates } from '../templates.ts';
import { memoized } from './memoized.ts';

/** `src/components`, which the templates lie in. */
export const DIRECTORY = dirname(import.meta.dirname);

export const TEMPLATES = memoized(loadTemplates(DIRECTORY));

/** Objects as YAML documents, in their order and with their keys in order. */
function toYaml(objects: readonly object[]): string {
  return objects.map((object) => dump(object, { lineWidth: -1, noRefs: true })).join('---\n');
}

/** @param path of the golden, absolute; run with UPDATE_GOLDENS=1 to accept what is rendered */
export function expectGolden(path: string, objects: readonly object[]): void {
  if (process.env['UPDATE_GOLDENS']) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toYaml(objects));
  }
  const stored = readFileSync(path, 'utf8');
  expect(toYaml(objects)).toBe(stored);
  expect(loadAll(stored)).toEqual(objects);
}

/** Path of a golden beside a component's template. */
export function goldenPath(component: string, variant: string): string {
  return join(DIRECTORY, component, '__golden__', `${variant}.yaml`);
}
