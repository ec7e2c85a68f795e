import { describe, expect, it } from '@jest/globals';
import {
  afterTry,
  isDue,
  NEW_FETCH_STATE,
  REREAD_MS,
  snapshotOf,
  type FetchState,
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
const FIRST = { archive: { crds: [], problems: [] }, sha256: 'one' };
const SECOND = { archive: { crds: [], problems: [] }, sha256: 'two' };
const PROBLEM = { reason: 'CrdArchiveRefused', message: 'it is empty' };
const NEW = { since: 0, served: false };

const done: FetchState = afterTry(NEW_FETCH_STATE, { verified: FIRST }, 1_000, 0);
const failed: FetchState = afterTry(NEW_FETCH_STATE, { problem: PROBLEM }, 1_000, 50);

describe('fetch job', () => {
  it('is due once when there is no archive yet', () => {
    expect(isDue(HTTP, NEW_FETCH_STATE, NEW, 0)).toBe(true);
    expect(isDue(HTTP, { ...NEW_FETCH_STATE, running: true }, NEW, 0)).toBe(false);
    expect(snapshotOf(HTTP, NEW_FETCH_STATE, NEW)).toEqual({
      pending: 'fetching the Karmada CRDs from https://a/b (spec.crdTarball.httpSource.url)',
    });
  });

  it('is never due again after a success when the policy is IfNotPresent', () => {
    const want = { since: done.successes, served: false };
    expect(isDue(HTTP, done, want, 10 * REREAD_MS)).toBe(false);
    expect(snapshotOf(HTTP, done, want)).toEqual({ archive: FIRST.archive });
  });

  it('is due after a spec change when the policy is Always, and keeps the archive meanwhile', () => {
    const want = { since: done.successes, served: true };
    expect(isDue(ALWAYS, done, want, 2_000)).toBe(true);
    expect(snapshotOf(ALWAYS, done, want)).toEqual({ archive: FIRST.archive });
    const again = afterTry(done, { verified: SECOND }, 3_000, 0);
    expect(isDue(ALWAYS, again, want, 4_000)).toBe(false);
    expect(snapshotOf(ALWAYS, again, want)).toEqual({ archive: SECOND.archive });
  });

  it('is pending for a new control plane when the policy is Always and another has an old copy', () => {
    expect(snapshotOf(ALWAYS, done, { since: 1, served: false })).toHaveProperty('pending');
  });

  it('keeps the archive and reports the problem when a repeated download fails with policy Always', () => {
    const without = afterTry(done, { verified: FIRST, problem: PROBLEM }, 2_000, 50);
    expect(snapshotOf(ALWAYS, without, { since: 1, served: false })).toEqual({
      archive: FIRST.archive,
      problem: PROBLEM,
    });
    // Not reported for a control plane whose request was satisfied before.
    expect(snapshotOf(ALWAYS, without, NEW)).toEqual({ archive: FIRST.archive });
  });

  it('reports a failure, waits before the next attempt and counts repeated failures', () => {
    expect(snapshotOf(HTTP, failed, NEW)).toEqual({ problem: PROBLEM });
    expect(isDue(HTTP, failed, NEW, 1_049)).toBe(false);
    expect(isDue(HTTP, failed, NEW, 1_050)).toBe(true);
    const twice = afterTry(failed, { problem: PROBLEM }, 2_000, 100);
    expect(snapshotOf(HTTP, { ...twice, running: true }, NEW)).toEqual({
      problem: { ...PROBLEM, message: 'it is empty (2 failed attempts)' },
    });
    const good = afterTry(twice, { verified: FIRST }, 3_000, 0);
    expect(good).toEqual({ ...done, readAt: 3_000 });
  });

  it('rereads an object after the interval and keeps the archive when that fails', () => {
    expect(isDue(OBJECT, done, NEW, 1_000 + REREAD_MS - 1)).toBe(false);
    expect(isDue(OBJECT, done, NEW, 1_000 + REREAD_MS)).toBe(true);
    const gone = afterTry(done, { verified: FIRST, problem: PROBLEM }, 2_000, 50);
    expect(snapshotOf(OBJECT, gone, { since: 0, served: true })).toEqual({
      archive: FIRST.archive,
      problem: PROBLEM,
    });
  });

  it('keeps the same archive object when the checksum is equal', () => {
    const copy = { archive: { crds: [], problems: [] }, sha256: 'one' };
    expect(afterTry(done, { verified: copy }, 2_000, 0).verified?.archive).toBe(FIRST.archive);
  });
});
