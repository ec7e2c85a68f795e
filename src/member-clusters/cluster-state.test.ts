import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { clusterState } from './cluster-state.ts';
import { reduceCluster, sameCluster } from './member-cluster.ts';

const TIME = '2026-01-01T00:00:00Z';
const READY = { type: 'Ready', status: 'True', reason: 'ClusterReady', lastTransitionTime: TIME };

const clusterWith = (status: unknown, syncMode: unknown = 'Push'): KubernetesObject => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'm1', uid: 'u' },
  spec: { syncMode },
  status,
});

const conditions = (...list: readonly unknown[]): KubernetesObject =>
  clusterWith({ conditions: list });

describe('clusterState', () => {
  it.each([
    ['a ready one', conditions(READY), { ready: 'True', reason: 'ClusterReady' }],
    [
      'one that is not ready',
      conditions({ type: 'Other' }, { ...READY, status: 'False', reason: 'ClusterNotReachable' }),
      { ready: 'False', reason: 'ClusterNotReachable' },
    ],
    ['one with another status', conditions({ ...READY, status: 'x' }), { ready: 'Unknown' }],
  ])('reads the condition Ready of %s', (_, cluster, expected) => {
    expect(clusterState(cluster)).toMatchObject({ name: 'm1', syncMode: 'Push', ...expected });
    expect(clusterState(cluster).changedAt).toBe(Date.parse(TIME));
  });

  it.each([
    ['no status', clusterWith(undefined)],
    ['no conditions', clusterWith({ conditions: 'none' })],
    ['entries that are no conditions', conditions(null, 1, 'Ready', [READY])],
  ])('is Unknown for a Cluster with %s', (_, cluster) => {
    expect(clusterState(cluster)).toEqual({ name: 'm1', syncMode: 'Push', ready: 'Unknown' });
  });

  it.each([
    ['another mode', clusterWith({}, 'Pushed'), 'syncMode'],
    ['a reason with a line break', conditions({ ...READY, reason: 'a\nb' }), 'reason'],
    ['a long reason', conditions({ ...READY, reason: 'a'.repeat(200) }), 'reason'],
    ['no time', conditions({ ...READY, lastTransitionTime: 'today' }), 'changedAt'],
    ['the year 10000', conditions({ ...READY, lastTransitionTime: '+010000-01-01' }), 'changedAt'],
  ])('leaves out %s', (_, cluster, field) => {
    expect(clusterState(cluster)).not.toHaveProperty(field);
  });

  it('returns only values that the CRD allows, and the same for the reduced Cluster', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (status, condition) => {
        for (const cluster of [clusterWith(status, condition), conditions(condition, READY)]) {
          const state = clusterState(cluster);
          expect(['True', 'False', 'Unknown']).toContain(state.ready);
          expect(clusterState(reduceCluster(cluster))).toEqual(state);
        }
      }),
    );
  });
});

describe('sameCluster', () => {
  const reduced = (condition: object): KubernetesObject =>
    reduceCluster({
      ...conditions({ ...READY, ...condition }),
      metadata: { name: 'm1', uid: 'u', resourceVersion: JSON.stringify(condition) },
    });

  it.each([
    ['equal for another message', { message: 'm' }, true],
    ['different when Ready changes', { status: 'False' }, false],
  ])('is %s', (_, condition, expected) => {
    expect(sameCluster(reduced({}), reduced(condition))).toBe(expected);
  });
});
