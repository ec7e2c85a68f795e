import { describe, expect, it } from '@jest/globals';
import { afterTry, isDue, NEW_JOB, REREAD_MS, snapshotOf, type Job } from './job.ts';
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

const done: Job = afterTry(NEW_JOB, { verified: FIRST }, 1_000, 0);
const failed: Job = afterTry(NEW_JOB, { problem: PROBLEM }, 1_000, 50);

describe('fetching, and what an instance is told', () => {
  it('nothing is there: it is fetched, once', () => {
    expect(isDue(HTTP, NEW_JOB, NEW, 0)).toBe(true);
    expect(isDue(HTTP, { ...NEW_JOB, running: true }, NEW, 0)).toBe(false);
    expect(snapshotOf(HTTP, NEW_JOB, NEW)).toEqual({
      pending: "Karmada's CRDs are being fetched from https://a/b (spec.crdTarball.httpSource.url)",
    });
  });

  it('IfNotPresent: what was fetched once does for ever', () => {
    const want = { since: done.successes, served: false };
    expect(isDue(HTTP, done, want, 10 * REREAD_MS)).toBe(false);
    expect(snapshotOf(HTTP, done, want)).toEqual({ archive: FIRST.archive });
  });

  it('Always: a changed spec wants it anew, and meanwhile uses what it has', () => {
    const want = { since: done.successes, served: true };
    expect(isDue(ALWAYS, done, want, 2_000)).toBe(true);
    expect(snapshotOf(ALWAYS, done, want)).toEqual({ archive: FIRST.archive });
    const again = afterTry(done, { verified: SECOND }, 3_000, 0);
    expect(isDue(ALWAYS, again, want, 4_000)).toBe(false);
    expect(snapshotOf(ALWAYS, again, want)).toEqual({ archive: SECOND.archive });
  });

  it("Always: an instance that is new does not begin with another one's old copy", () => {
    expect(snapshotOf(ALWAYS, done, { since: 1, served: false })).toHaveProperty('pending');
  });

  it('Always: when it cannot be had anew, the copy is used and the problem is told', () => {
    const without = afterTry(done, { verified: FIRST, problem: PROBLEM }, 2_000, 50);
    expect(snapshotOf(ALWAYS, without, { since: 1, served: false })).toEqual({
      archive: FIRST.archive,
      problem: PROBLEM,
    });
    // An instance that had what it wanted before is not concerned.
    expect(snapshotOf(ALWAYS, without, NEW)).toEqual({ archive: FIRST.archive });
  });

  it('a failure is told, pauses, and is told with the number of tries when it goes on', () => {
    expect(snapshotOf(HTTP, failed, NEW)).toEqual({ problem: PROBLEM });
    expect(isDue(HTTP, failed, NEW, 1_049)).toBe(false);
    expect(isDue(HTTP, failed, NEW, 1_050)).toBe(true);
    const twice = afterTry(failed, { problem: PROBLEM }, 2_000, 100);
    expect(snapshotOf(HTTP, { ...twice, running: true }, NEW)).toEqual({
      problem: { ...PROBLEM, message: 'it is empty (tried 2 times)' },
    });
    const good = afterTry(twice, { verified: FIRST }, 3_000, 0);
    expect(good).toEqual({ ...done, readAt: 3_000 });
  });

  it('an object is read again after a time, and what was read is used until then and if it fails', () => {
    expect(isDue(OBJECT, done, NEW, 1_000 + REREAD_MS - 1)).toBe(false);
    expect(isDue(OBJECT, done, NEW, 1_000 + REREAD_MS)).toBe(true);
    const gone = afterTry(done, { verified: FIRST, problem: PROBLEM }, 2_000, 50);
    expect(snapshotOf(OBJECT, gone, { since: 0, served: true })).toEqual({
      archive: FIRST.archive,
      problem: PROBLEM,
    });
  });

  it('equal bytes stay the same object', () => {
    const copy = { archive: { crds: [], problems: [] }, sha256: 'one' };
    expect(afterTry(done, { verified: copy }, 2_000, 0).verified?.archive).toBe(FIRST.archive);
  });
});
