import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { lastLines, logsOf } from './report-logs.ts';

describe('logsOf', () => {
  it('returns the logs of all containers, and the previous ones of restarted containers', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x', namespace: 'team' },
      spec: {
        initContainers: [{ name: 'init' }],
        containers: [{ name: 'main' }, { name: 'side' }],
      },
      status: {
        initContainerStatuses: [{ name: 'init', restartCount: 0 }],
        containerStatuses: [{ name: 'main', restartCount: 2 }],
      },
    };
    const log = { namespace: 'team', pod: 'x', previous: false };
    expect(logsOf(pod)).toEqual([
      { ...log, container: 'init' },
      { ...log, container: 'main' },
      { ...log, container: 'main', previous: true },
      { ...log, container: 'side' },
    ]);
  });
});

describe('lastLines', () => {
  it.each([
    ['a short log', ['one', 'two'], 'one\ntwo\n'],
    ['an empty log', [], ''],
    [
      'the end of a long log',
      ['first', 'second', 'third'],
      '(1 earlier lines omitted)\nsecond\nthird\n',
    ],
    [
      'the end of a long line',
      ['x', '0123456789abcdef'],
      '(1 earlier lines omitted)\n3456789abcdef\n',
    ],
  ])('returns %s', async (_, lines, text) => {
    expect(await lastLines(Readable.from(lines), 13)).toBe(text);
  });
});
