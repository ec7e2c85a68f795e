import { describe, expect, it } from '@jest/globals';
import {
  afterTry,
  fetchPauseMs,
  needsAttempt,
  NEW_FETCH_STATE,
  REREAD_MS,
  snapshotOf,
  type ArchiveRequest,
  type FetchState,
  type RunningAttempt,
} from './fetch-state.ts';
import type { DownloadSource, ObjectSource } from './source.ts';

const HTTP: DownloadSource = {
  kind: 'http',
  url: 'https://a/b',
  always: false,
  release: 'v1.17.1',
};
const ALWAYS: DownloadSource = { ...HTTP, always: true };
const OBJECT: ObjectSource = {
  kind: 'object',
  object: 'ConfigMap',
  namespace: 'team',
  name: 'a',
  key: 'b',
  release: undefined,
};
const FIRST = { archive: { crds: [], problems: [] }, sha256: 'one', memoryBytes: 1 };
const SECOND = { archive: { crds: [], problems: [] }, sha256: 'two', memoryBytes: 1 };
const PROBLEM = { reason: 'CrdArchiveRefused', message: 'it is empty' } as const;
const NEW = { since: 0, served: false };

const done: FetchState = afterTry(NEW_FETCH_STATE, { verified: FIRST });
const failed: FetchState = afterTry(NEW_FETCH_STATE, { problem: PROBLEM });

type Given = readonly [DownloadSource | ObjectSource, FetchState, ArchiveRequest, RunningAttempt];

describe('needsAttempt', () => {
  const satisfied = { since: 0, served: true };
  const changed = { since: 1, served: true };

  it.each<[string, Given, boolean]>([
    ['there is no archive yet', [HTTP, NEW_FETCH_STATE, NEW, 'none'], true],
    ['the last attempt has failed', [HTTP, failed, NEW, 'none'], true],
    [
      'another control plane waits for the same archive',
      [OBJECT, NEW_FETCH_STATE, NEW, 'other'],
      false,
    ],
    [
      'an attempt for the earlier spec brings the same download',
      [HTTP, NEW_FETCH_STATE, NEW, 'earlier'],
      false,
    ],
    ['an attempt for the earlier spec reads an object', [OBJECT, done, changed, 'earlier'], true],
    ['the policy is IfNotPresent after a success', [HTTP, done, changed, 'none'], false],
    ['the policy is Always and the spec has changed', [ALWAYS, done, changed, 'none'], true],
    ['the policy is Always and the archive is new', [ALWAYS, done, satisfied, 'none'], false],
    ['the spec with an object has changed', [OBJECT, done, changed, 'none'], true],
  ])('decides when %s', (_, given, expected) => {
    expect(needsAttempt(...given)).toBe(expected);
  });
});

describe('fetchPauseMs', () => {
  const pauses = (source: DownloadSource | ObjectSource): readonly (number | undefined)[] =>
    [0, 1, 2, 30].map((failures) => fetchPauseMs(source, { failures }, () => 0.5));

  it('backs off after failures, rereads objects, and downloads nothing twice', () => {
    expect(pauses(HTTP)).toEqual([undefined, 2_000, 4_000, 120_000]);
    expect(pauses(ALWAYS)).toEqual(pauses(HTTP));
    expect(pauses(OBJECT)).toEqual([REREAD_MS, 2_000, 4_000, 120_000]);
  });
});

describe('snapshotOf', () => {
  it('is pending before the first attempt ends', () => {
    expect(snapshotOf(HTTP, NEW_FETCH_STATE, NEW)).toEqual({
      pending: 'fetching the Karmada CRDs from https://a/b (spec.crdTarball.httpSource.url)',
    });
  });

  it('returns the archive of an earlier generation when the policy is IfNotPresent', () => {
    const want = { since: done.successes, served: false };
    expect(snapshotOf(HTTP, done, want)).toEqual({ archive: FIRST.archive });
  });

  it('keeps the archive until the next one arrives when the policy is Always', () => {
    const want = { since: done.successes, served: true };
    expect(snapshotOf(ALWAYS, done, want)).toEqual({ archive: FIRST.archive });
    const again = afterTry(done, { verified: SECOND });
    expect(snapshotOf(ALWAYS, again, want)).toEqual({ archive: SECOND.archive });
  });

  it('is pending for a new control plane when the policy is Always and another has an old copy', () => {
    expect(snapshotOf(ALWAYS, done, { since: 1, served: false })).toHaveProperty('pending');
  });

  it('keeps the archive and reports the problem when a repeated download fails with policy Always', () => {
    const without = afterTry(done, { verified: FIRST, problem: PROBLEM });
    expect(snapshotOf(ALWAYS, without, { since: 1, served: false })).toEqual({
      archive: FIRST.archive,
      problem: PROBLEM,
    });
    // Not reported for a control plane whose request was satisfied before.
    expect(snapshotOf(ALWAYS, without, NEW)).toEqual({ archive: FIRST.archive });
  });

  it('reports a failure and counts repeated failures', () => {
    expect(snapshotOf(HTTP, failed, NEW)).toEqual({ problem: PROBLEM });
    const twice = afterTry(failed, { problem: PROBLEM });
    expect(snapshotOf(HTTP, twice, NEW)).toEqual({
      problem: { ...PROBLEM, message: 'it is empty (2 failed attempts)' },
    });
    expect(afterTry(twice, { verified: FIRST })).toEqual(done);
  });

  it('keeps the archive when an object cannot be read again', () => {
    const gone = afterTry(done, { verified: FIRST, problem: PROBLEM });
    expect(snapshotOf(OBJECT, gone, { since: 0, served: true })).toEqual({
      archive: FIRST.archive,
      problem: PROBLEM,
    });
  });
});

describe('afterTry', () => {
  it('keeps the same archive object when the checksum is equal', () => {
    const copy = { archive: { crds: [], problems: [] }, sha256: 'one', memoryBytes: 1 };
    expect(afterTry(done, { verified: copy }).verified?.archive).toBe(FIRST.archive);
  });
});
