import { describe, expect, it } from '@jest/globals';
import { unexplained } from './etcd-writer.ts';

const at = (seconds: string, error: string): string =>
  `2026-01-01T00:00:${seconds}Z one-1: ApiError: create ConfigMap default/one-1: 500 ${error}`;
const RESET = 'code = Unavailable desc = error reading from server: connection reset by peer';
const STOPPED = 'code = Unknown desc = raft: stopped';
const MOVED = 'code = Unknown desc = raft proposal dropped';

describe('unexplained', () => {
  const first = [at('01.100', RESET), at('01.105', STOPPED), at('01.400', RESET)];
  const second = [at('03.000', RESET)];
  const moved = [at('00.900', MOVED), at('00.930', MOVED)];
  const other = at('03.001', 'no response from the API server');

  it.each<[string, readonly string[], number, readonly string[]]>([
    ['nothing without failures', [], 0, []],
    ['nothing for writes that one member ended', first, 1, []],
    ['nothing for writes that two members ended', [...first, ...second], 2, []],
    ['all of them for more members than left', [...first, ...second], 1, [...first, ...second]],
    ['all of them if no member left', second, 0, second],
    ['nothing for writes at a leader that was moved and left', [...moved, ...first], 1, []],
    ['writes at a leader that was moved if no member left', moved, 0, moved],
    ['failures of another kind', [...first, other], 1, [other]],
  ])('returns %s', (_, failures, leaving, expected) => {
    expect(unexplained(failures, leaving)).toEqual(expected);
  });
});
