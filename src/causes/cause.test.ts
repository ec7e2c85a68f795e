import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import fc from 'fast-check';
import { certain, firstCause, suspected } from './cause.ts';
import { examinedPods } from './examined-pods.ts';

describe('firstCause', () => {
  it.each([
    [['suspected', 'certain', 'never'], 'OOMKilled', 2],
    [['none', 'suspected', 'none'], 'CrashLoopBackOff', 3],
    [['none'], undefined, 1],
  ])('examines %j until it finds %s', (items, reason, examined) => {
    const seen: string[] = [];
    const found = firstCause(items, (item) => {
      seen.push(item);
      if (item === 'none') return undefined;
      return item === 'certain' ? certain('OOMKilled', '') : suspected('CrashLoopBackOff', '');
    });
    expect({ reason: found?.reason, examined: seen.length }).toEqual({ reason, examined });
  });
});

const pod = (index: number, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `pod-${index}`,
    labels: { 'app.kubernetes.io/name': 'etcd' },
    creationTimestamp: new Date(index * 1_000).toISOString(),
    ...more,
  },
  status: { conditions: [{ type: 'Ready', status: index === 999 ? 'True' : 'False' }] },
});

describe('examinedPods', () => {
  it('returns the two newest Pods of the component that are not ready', () => {
    const pods = Array.from({ length: 1_000 }, (_, index) => pod(index));
    const others = [
      pod(2_000, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      pod(2_001, { labels: { 'app.kubernetes.io/name': 'karmada-scheduler' } }),
    ];
    const found = examinedPods([...pods, ...others], 'etcd');
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['pod-998', 'pod-997']);
  });

  it('returns the same ones in the same order when the Pods are listed in another order', () => {
    const at = (time: string | undefined, name: string, uid = name): KubernetesObject =>
      pod(0, { name, uid, creationTimestamp: time });
    const newestFirst = [
      // No API server writes it. Its place is as good as any.
      at('unknown', 'c'),
      at('2026-01-01T00:00:03Z', 'b'),
      at('2026-01-01T00:00:02Z', 'a'),
      at('2026-01-01T00:00:02Z', 'b'),
      at('2026-01-01T00:00:02Z', 'b', 'c'),
      at(undefined, 'a'),
    ];
    for (const [index] of newestFirst.entries()) {
      const pods = newestFirst.slice(index);
      fc.assert(
        fc.property(fc.shuffledSubarray(pods, { minLength: pods.length }), (listed) => {
          expect(examinedPods(listed, 'etcd')).toEqual(pods.slice(0, 2));
        }),
        { numRuns: 20 },
      );
    }
  });
});
