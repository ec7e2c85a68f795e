import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createResultStore } from './result-store.ts';
import { readResults, resultsFile } from './results-file.ts';
import { programResult } from './results.ts';

it('a result store stores results until a file changes, and says so once', async () => {
  const root = mkdtempSync(join(tmpdir(), 'store-'));
  const result = (suite: string) => programResult({ suite, from: 0, to: 1_000, passed: true });
  const notes: string[] = [];
  const digests = ['t', 'u', 't'];
  const store = createResultStore({
    root,
    tree: 't',
    digest: () => Promise.resolve(digests.shift() ?? ''),
    note: (text) => void notes.push(text),
    environment: {},
  });
  for (const suite of ['a', 'b', 'c']) await store.store([result(suite)]);
  expect(readResults(resultsFile(root, 't'))?.suites).toEqual([result('a')]);
  expect(notes).toEqual([expect.stringMatching(/^files have changed since the start/)]);
});

it('a result store omits a suite of which a variable selects cases, and says so', async () => {
  const root = mkdtempSync(join(tmpdir(), 'store-'));
  const results = ['e2e/faults', 'e2e/core'].map((suite) =>
    programResult({ suite, from: 0, to: 1_000, passed: true }),
  );
  const notes: string[] = [];
  const store = createResultStore({
    root,
    tree: 't',
    digest: () => Promise.resolve('t'),
    note: (text) => void notes.push(text),
    environment: { KARMADA_TEST_FAULTS: 'image' },
  });
  await store.store(results);
  expect(readResults(resultsFile(root, 't'))?.suites).toEqual(results.slice(1));
  expect(notes).toEqual(['e2e/faults: not stored, because KARMADA_TEST_FAULTS selects its cases']);
});
