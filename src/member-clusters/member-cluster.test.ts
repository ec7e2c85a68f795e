import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import {
  memberClusterOf,
  MAX_ESTIMATORS,
  reduceCluster,
  sameCluster,
  selectMembers,
  type EstimatorSelector,
  type Selection,
} from './member-cluster.ts';

function cluster(name: string, spec: object = {}, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name, uid: `uid-${name}`, ...metadata },
    spec: {
      syncMode: 'Push',
      apiEndpoint: `https://${name}:6443`,
      secretRef: { namespace: 'karmada-cluster', name },
      ...spec,
    },
  };
}

const existing = new Set<string>();

const names = (members: readonly { readonly name: string }[]): string[] =>
  members.map(({ name }) => name);

describe('selectMembers', () => {
  const all = [
    cluster('push'),
    cluster('agent', { syncMode: 'Pull' }),
    cluster('leaves', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    cluster('another'),
  ];

  it('selects all member clusters in push mode when no names are given', () => {
    const { chosen, refused } = selectMembers('karmada-demo', all, { existing });
    expect(names(chosen)).toEqual(['another', 'push']);
    expect(refused.size).toBe(0);
    expect(chosen[1]).toEqual({
      name: 'push',
      uid: 'uid-push',
      server: 'https://push:6443',
      insecure: false,
      proxyHeader: false,
      secret: { namespace: 'karmada-cluster', name: 'push' },
    });
  });

  it('selects only the given names and reports unknown ones', () => {
    const { chosen, refused } = selectMembers('karmada-demo', all, {
      clusters: ['push', 'agent', 'push', 'unknown'],
      existing,
    });
    expect(names(chosen)).toEqual(['push']);
    expect([...refused].map(([name, { reason }]) => [name, reason])).toEqual([
      ['agent', 'MemberNotFound'],
      ['unknown', 'MemberNotFound'],
    ]);
  });

  it.each<[string, object, string]>([
    ['a'.repeat(32), {}, 'NameTooLong'],
    ['blind', { apiEndpoint: '' }, 'CredentialsMissing'],
    ['locked', { secretRef: undefined }, 'CredentialsMissing'],
    ['proxied', { proxyURL: 'http://p:1', proxyHeader: { a: 'b' } }, 'ProxyHeaderUnsupported'],
  ])('reports a problem for Cluster %s with spec %j: %s', (name, spec, reason) => {
    const { chosen, refused } = selectMembers(
      'karmada-demo',
      [cluster(name, spec), cluster('good')],
      { existing },
    );
    expect(names(chosen)).toEqual(['good']);
    expect(refused.get(name)?.reason).toBe(reason);
  });

  const select = (...objects: readonly KubernetesObject[]): Selection =>
    selectMembers('karmada-demo', objects, { existing });

  it('accepts a name up to the maximum length', () => {
    // karmada-demo-scheduler-estimator- has 33 characters.
    expect(names(select(cluster('a'.repeat(30))).chosen)).toHaveLength(1);
    const { refused } = select(cluster('a'.repeat(31)));
    expect(refused.get('a'.repeat(31))?.message).toContain('at most 30');
  });
});

describe('selectMembers with more member clusters than the maximum', () => {
  const named = Array.from({ length: MAX_ESTIMATORS + 20 }, (_, index) => `m-${1_000 + index}`);
  const objects = named.map((name) => cluster(name));
  const select = (selector: EstimatorSelector): Selection =>
    selectMembers('karmada-demo', objects, selector);

  it('selects the first ones, and rejects the others with the remedy', () => {
    const { chosen, refused } = select({ existing });
    expect(names(chosen)).toEqual(named.slice(0, MAX_ESTIMATORS));
    expect([...refused.keys()]).toEqual(named.slice(MAX_ESTIMATORS));
    expect(refused.get(named.at(-1) ?? '')).toEqual({
      reason: 'EstimatorLimitExceeded',
      message:
        'the operator creates at most 100 estimators, unless spec.components.karmadaSchedulerEstimator.clusters names their member clusters; name there the member clusters that need one',
    });
  });

  it('keeps existing estimators before it selects others', () => {
    const last = named.slice(-30);
    const { chosen } = select({ existing: new Set([...last, 'gone']) });
    expect(names(chosen)).toEqual([...named.slice(0, MAX_ESTIMATORS - 30), ...last]);
  });

  it('keeps all existing estimators, and selects no others', () => {
    const kept = named.slice(0, MAX_ESTIMATORS + 10);
    const { chosen, refused } = select({ existing: new Set(kept) });
    expect(names(chosen)).toEqual(kept);
    expect(refused.size).toBe(10);
  });

  it('selects all that the spec names', () => {
    const { chosen, refused } = select({ clusters: named, existing });
    expect(names(chosen)).toEqual(named);
    expect(refused.size).toBe(0);
  });
});

describe('reduceCluster', () => {
  it('keeps the fields that an estimator depends on and drops the status', () => {
    const spec = { proxyURL: 'http://p:1', insecureSkipTLSVerification: true, zone: 'a' };
    const before = reduceCluster({ ...cluster('one', spec), status: { conditions: [1] } });
    const after = reduceCluster({ ...cluster('one', spec, { resourceVersion: '2' }), status: {} });
    expect(JSON.stringify(before)).not.toMatch(/conditions|zone/);
    expect(memberClusterOf(before)).toMatchObject({ proxyUrl: 'http://p:1', insecure: true });
    expect(sameCluster(before, after)).toBe(true);
    expect(sameCluster(before, reduceCluster(cluster('one')))).toBe(false);
    expect(sameCluster(cluster('one'), cluster('one', {}, { uid: 'other' }))).toBe(false);
  });
});
