import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildKey } from './binaries.ts';

describe('buildKey', () => {
  let directory: string;
  const write = (file: string, text: string): Promise<void> =>
    writeFile(join(directory, file), text);
  const source = { module: 'some', package: '.' };
  const old = { ...source, modfile: 'v1.16.0.mod' };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'binaries-'));
    await mkdir(join(directory, 'replaced'));
    for (const file of ['main.go', 'go.mod', 'go.sum', 'v1.16.0.mod', 'v1.16.0.sum', 'notes.md']) {
      await write(file, file);
    }
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('returns the same key for the same input', async () => {
    expect(await buildKey(source, directory, '1.26.8')).toBe(
      await buildKey({ ...source }, directory, '1.26.8'),
    );
  });

  it.each([
    ['main.go', source, true],
    ['go.mod', source, true],
    ['go.sum', source, true],
    ['another.go', source, true],
    ['replaced/replaced.go', source, true],
    ['v1.16.0.mod', source, false],
    ['notes.md', source, false],
    ['v1.16.0.mod', old, true],
    ['v1.16.0.sum', old, true],
    ['go.mod', old, false],
  ])('depends on %s for source %o: %s', async (file, of, changes) => {
    const before = await buildKey(of, directory, '1.26.8');
    await write(file, 'changed');
    expect((await buildKey(of, directory, '1.26.8')) !== before).toBe(changes);
  });

  it('returns different keys for different compilers and linked versions', async () => {
    const keys = await Promise.all([
      buildKey(source, directory, '1.26.8'),
      buildKey(source, directory, '1.26.9'),
      buildKey({ ...source, values: { version: '1' } }, directory, '1.26.8'),
      buildKey({ ...source, values: { version: '2' } }, directory, '1.26.8'),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
