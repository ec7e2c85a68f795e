import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildPlan, prefetch } from './build-plan.ts';

describe('buildPlan', () => {
  it('says what is built and how long each build and all of them take', () => {
    expect(buildPlan(['etcd', 'kubernetes', 'prometheus'])).toBe(
      [
        'builds 3 programs once, about 7 min on two cores; later runs use the cache:',
        '  etcd                 about 30.0 s',
        '  kubernetes           about 3 min 20 s',
        '  prometheus           some minutes',
      ].join('\n'),
    );
  });

  it('says at least one minute when one program is built', () => {
    expect(buildPlan(['pause'])).toMatch(/^builds 1 program once, about 1 min /);
  });
});

describe('prefetch', () => {
  let directory: string;
  const touch = (name: string): { command: string[]; directory: string } => ({
    command: ['touch', name],
    directory,
  });
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'prefetch-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('runs no further command when it was stopped', async () => {
    const wait = { command: ['sh', '-c', 'while [ ! -e go ]; do sleep 0.01; done'], directory };
    const downloads = prefetch([wait, touch('second')], directory);
    const stopped = downloads.stop();
    writeFileSync(join(directory, 'go'), '');
    await stopped;
    expect(existsSync(join(directory, 'second'))).toBe(false);
  });

  it('gives the commands the compiler cache of the builds', async () => {
    const named = { command: ['sh', '-c', 'touch "$GOCACHE/named"'], directory: tmpdir() };
    const downloads = prefetch([named], directory);
    await downloads.stop();
    expect(existsSync(join(directory, 'named'))).toBe(true);
  });

  it('continues with the next command when one fails', async () => {
    const downloads = prefetch([{ command: ['false'], directory }, touch('second')], directory);
    while (!existsSync(join(directory, 'second')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    await downloads.stop();
    expect(existsSync(join(directory, 'second'))).toBe(true);
  });
});
