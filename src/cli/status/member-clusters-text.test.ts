import { describe, expect, it } from '@jest/globals';
import type { MemberClustersStatus } from '../../api/member-clusters-status.ts';
import { palette, treeLines } from '../program/text.ts';
import { memberClusterNodes } from './member-clusters-text.ts';

const NOW = Date.parse('2026-05-01T00:00:00Z');

const NONE: MemberClustersStatus = {
  summary: '0/0',
  total: 0,
  ready: 0,
  push: 0,
  pull: 0,
  clusters: [],
};

const linesOf = (memberClusters: MemberClustersStatus | undefined): readonly string[] =>
  treeLines(
    memberClusterNodes(
      { ...(memberClusters && { memberClusters }) },
      { palette: palette(false), now: NOW },
    ),
  );

describe('memberClusterNodes', () => {
  it('shows the counts, and the member clusters that need attention', () => {
    const lines = linesOf({
      summary: '2/5',
      total: 5,
      ready: 2,
      push: 4,
      pull: 1,
      clusters: [
        {
          name: 'paris',
          syncMode: 'Push',
          ready: 'False',
          reason: 'ClusterNotReachable',
          since: '2026-04-30T00:00:00Z',
        },
        { name: 'rome\u001b[31m', syncMode: 'Pull', ready: 'Unknown' },
        {
          name: 'oslo',
          syncMode: 'Push',
          ready: 'True',
          credentialExpiry: '2026-05-03T00:00:00Z',
        },
        { name: 'wien', syncMode: 'Push', ready: 'True', credentialExpiry: '2036-05-03T00:00:00Z' },
      ],
    });
    expect(lines).toEqual([
      '└─ Member clusters: 2/5 ready, 4 push, 1 pull',
      '   ├─ paris: push, not ready (ClusterNotReachable), since 2026-04-30T00:00:00Z',
      '   ├─ rome: pull, state unknown',
      '   ├─ oslo: push, ready, credentials expire at 2026-05-03T00:00:00Z',
      '   └─ 1 more not ready',
    ]);
  });

  it.each([
    ['nothing before the first observation', undefined, []],
    ['that there is none', NONE, ['└─ Member clusters: none']],
  ])('shows %s', (_, status, expected) => {
    expect(linesOf(status)).toEqual(expected);
  });
});
