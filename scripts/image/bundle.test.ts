/** @size medium */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { bundleOperator } from './bundle.ts';

describe('bundleOperator', () => {
  let folder: string;
  let program: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    await bundleOperator(checkout, folder, '0.0.0');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.mjs'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    program = texts.join('');
  }, 60_000);

  afterAll(() => rm(folder, { recursive: true }));

  it('keeps the names of functions and classes for stack traces', () => {
    expect(program).toMatch(/\bfunction reconcileLiving\(/);
    expect(program).toMatch(/\bControlPlaneClient=class\b|\bclass ControlPlaneClient\b/);
  });

  it('gives closures no property with their name, for which V8 needs 256 bytes each', () => {
    expect(program).not.toMatch(/"name",\{value:\w+,configurable:!0\}/);
  });

  it('is ASCII text, because V8 keeps any other text with two bytes for each character', () => {
    expect(/\P{ASCII}/u.exec(program)?.[0]).toBeUndefined();
  });
});
