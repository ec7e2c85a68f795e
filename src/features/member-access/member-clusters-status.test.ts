import { describe, expect, it } from '@jest/globals';
import type { MemberClustersStatus } from '../../api/member-clusters-status.ts';
import type { JoinedCluster } from '../../instance/snapshot.ts';
import { memberClustersStatus, memberClusterWarnings } from './member-clusters-status.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DAY = 86_400_000;

const ready = (name: string, more: Partial<JoinedCluster> = {}): JoinedCluster => ({
  name,
  syncMode: 'Push',
  ready: 'True',
  reason: 'ClusterReady',
  changedAt: NOW - DAY,
  ...more,
});

const down = (name: string, more: Partial<JoinedCluster> = {}): JoinedCluster =>
  ready(name, { ready: 'False', reason: 'ClusterNotReachable', ...more });

const statusOf = (
  memberClusters: readonly JoinedCluster[] | undefined,
  before?: MemberClustersStatus,
): MemberClustersStatus | undefined =>
  memberClustersStatus({ now: NOW, ...(memberClusters && { memberClusters }) }, before);

const warningOf = (clusters: readonly JoinedCluster[], before?: MemberClustersStatus): string =>
  memberClusterWarnings({ now: NOW, memberClusters: clusters }, before)
    .map(({ reason, message }) => `${reason} ${message}`)
    .join('\n');

describe('memberClustersStatus', () => {
  it('counts the member clusters and lists those that are not ready first', () => {
    const clusters = [ready('c'), ready('b', { syncMode: 'Pull' }), down('d'), ready('a')];
    expect(statusOf(clusters)).toEqual({
      summary: '3/4',
      total: 4,
      ready: 3,
      push: 3,
      pull: 1,
      clusters: [
        {
          name: 'd',
          syncMode: 'Push',
          ready: 'False',
          reason: 'ClusterNotReachable',
          since: '2025-12-31T00:00:00Z',
        },
        { name: 'a', syncMode: 'Push', ready: 'True' },
        { name: 'b', syncMode: 'Pull', ready: 'True' },
        { name: 'c', syncMode: 'Push', ready: 'True' },
      ],
    });
  });

  it('is 0/0 without member clusters', () => {
    expect(statusOf([])).toMatchObject({ summary: '0/0', total: 0, clusters: [] });
  });

  it('lists at most 20 member clusters', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      index % 2 === 0 ? ready(`m${index}`) : down(`m${index}`),
    );
    const status = statusOf(many);
    expect(status).toMatchObject({ summary: '250/500' });
    expect(status?.clusters.map((state) => state.ready)).toEqual(
      Array.from({ length: 20 }, () => 'False'),
    );
  });

  it.each([
    ['the time at which Ready became True', ready('a'), ready('a', { changedAt: NOW })],
    ['the order of the Clusters', [ready('a'), ready('b')], [ready('b'), ready('a')]],
  ])('does not depend on %s', (_, one, other) => {
    expect(statusOf([one].flat())).toEqual(statusOf([other].flat()));
  });

  it('keeps the last status while the member clusters are not known', () => {
    const before = statusOf([ready('a')]);
    expect(statusOf(undefined, before)).toBe(before);
    expect(statusOf(undefined)).toBeUndefined();
  });

  it('keeps the written expiry until the credentials have been read', () => {
    const before = statusOf([ready('a', { expiry: NOW + DAY }), ready('b', { expiry: 'none' })]);
    const pending = [ready('a', { expiry: 'pending' }), ready('b', { expiry: 'pending' })];
    expect(statusOf(pending, before)).toEqual(before);
    expect(before?.clusters[0]?.credentialExpiry).toBe('2026-01-02T00:00:00Z');
    expect(warningOf(pending, before)).toContain('a (2026-01-02T00:00:00Z)');
    expect(statusOf([ready('a', { expiry: 'none' }), ready('b')], before)?.clusters).toEqual([
      { name: 'a', syncMode: 'Push', ready: 'True' },
      { name: 'b', syncMode: 'Push', ready: 'True' },
    ]);
  });

  it('lists member clusters with expiring credentials before other ready ones', () => {
    const clusters = [
      ready('a'),
      ready('b', { expiry: NOW + 15 * DAY }),
      ready('c', { expiry: NOW + 14 * DAY }),
      down('d'),
    ];
    expect(statusOf(clusters)?.clusters.map(({ name }) => name)).toEqual(['d', 'c', 'a', 'b']);
  });
});

describe('memberClusterWarnings', () => {
  it.each([
    ['nothing is known', undefined],
    ['no credentials expire', [ready('a', { expiry: 'none' }), ready('b')]],
    ['they expire after 14 days', [ready('a', { expiry: NOW + 14 * DAY + 1_000 })]],
  ])('is empty when %s', (_, clusters) => {
    const given = clusters && { memberClusters: clusters };
    expect(memberClusterWarnings({ now: NOW, ...given }, undefined)).toEqual([]);
  });

  it('names the first three that expire', () => {
    const clusters = ['d', 'c', 'b', 'a'].map((name, index) =>
      ready(name, { expiry: NOW + (index - 1) * DAY }),
    );
    expect(warningOf(clusters)).toMatch(
      /^MemberCredentialsExpiring member clusters: .* expired: d \(2025-12-31T00:00:00Z\), c \(2026-01-01T00:00:00Z\), b \(2026-01-02T00:00:00Z\) and 1 more; /,
    );
  });
});
