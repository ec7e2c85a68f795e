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
    ...{ root, tree: 't', digest: () => Promise.resolve(digests.shift() ?? '') },
    note: (text) => void notes.push(text),
  });
  for (const suite of ['a', 'b', 'c']) await store.store([result(suite)]);
  expect(readResults(resultsFile(root, 't'))?.suites).toEqual([result('a')]);
  expect(notes).toEqual([expect.stringMatching(/^files have changed since the start/)]);
});
