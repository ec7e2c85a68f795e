import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freezer } from './cgroups.ts';

describe.each([
  { version: 1, unified: false, file: 'freezer.state', states: ['FROZEN', 'THAWED'] },
  { version: 2, unified: true, file: 'cgroup.freeze', states: ['1', '0'] },
])('freezer of cgroup version $version', ({ unified, file, states }) => {
  const [frozen = '', thawed = ''] = states;
  let directory: string;
  let child: string;
  const state = (cgroup: string): string => readFileSync(join(cgroup, file), 'utf8');

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'freezer-'));
    child = join(directory, 'pod');
    mkdirSync(child);
    for (const cgroup of [directory, child]) writeFileSync(join(cgroup, file), thawed);
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  it('freezes the cgroup, with which the kernel freezes those below', () => {
    freezer(unified, directory).setFrozen(true);
    expect([state(directory), state(child)]).toEqual([frozen, thawed]);
  });

  it('thaws the cgroup and those below', () => {
    for (const cgroup of [directory, child]) writeFileSync(join(cgroup, file), frozen);
    freezer(unified, directory).setFrozen(false);
    expect([state(directory), state(child)]).toEqual([thawed, thawed]);
  });

  it('ignores a removed cgroup when it thaws, and reports it as not frozen', () => {
    const removed = freezer(unified, join(directory, 'removed'));
    expect(() => removed.setFrozen(false)).not.toThrow();
    expect(removed.isFrozen()).toBe(false);
  });

  it('reports the cgroup as frozen only after the kernel has frozen all processes', () => {
    const [report, before, after] = unified
      ? (['cgroup.events', 'populated 1\nfrozen 0\n', 'populated 1\nfrozen 1\n'] as const)
      : (['freezer.state', 'FREEZING\n', 'FROZEN\n'] as const);
    const { isFrozen } = freezer(unified, directory);
    writeFileSync(join(directory, report), before);
    expect(isFrozen()).toBe(false);
    writeFileSync(join(directory, report), after);
    expect(isFrozen()).toBe(true);
  });
});
