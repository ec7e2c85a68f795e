import { describe, expect, it } from '@jest/globals';
import { ABANDON_HOST_ANNOTATION } from '../../api/karmada.ts';
import { karmadaOf } from '../../instance/__fixtures__/instance.ts';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import {
  flowOf,
  isDifferentHostCluster,
  resolveHost,
  type HostResolutionTools,
} from './host-resolution.ts';

interface Case {
  noted?: string;
  found?: string;
  abandon?: string;
  expected: boolean;
}

describe('isDifferentHostCluster', () => {
  const changed = { noted: 'one', found: 'two' };

  it.each<[string, Case]>([
    ['false for the same cluster', { noted: 'one', found: 'one', expected: false }],
    ['true for another cluster', { ...changed, expected: true }],
    [
      'false for another cluster when the former one is abandoned',
      { ...changed, abandon: 'one', expected: false },
    ],
    [
      'true for another cluster when a third one was abandoned',
      { ...changed, abandon: 'three', expected: true },
    ],
    [
      'true for another cluster when the annotation is true',
      { ...changed, abandon: 'true', expected: true },
    ],
    ['false for the first cluster', { found: 'one', expected: false }],
    ['false for a cluster with an unknown uid', { noted: 'one', expected: false }],
  ])('returns %s', (_, { noted, found, abandon, expected }) => {
    const { metadata, ...rest } = karmadaOf();
    const annotations: Record<string, string> = {};
    if (abandon !== undefined) annotations[ABANDON_HOST_ANNOTATION] = abandon;
    const status = noted === undefined ? {} : { hostUID: noted };
    const karmada = { ...rest, metadata: { ...metadata, annotations }, status };
    expect(isDifferentHostCluster(karmada, found)).toBe(expected);
  });
});

describe('resolveHost', () => {
  const secretRef = { namespace: 'team', name: 'host' };
  const karmada = { ...karmadaOf(), spec: { hostCluster: { secretRef } } };
  const excess = { reason: 'TooManyHostClusters', message: 'raise the limit' } as const;

  it.each<[string, typeof excess | undefined, object, readonly string[]]>([
    ['connects to a host cluster within the limit', undefined, { unread: {} }, ['of']],
    ['disconnects from one above the limit', excess, { problem: excess }, ['leave']],
  ])('%s', (_, problem, expected, calls) => {
    const made: string[] = [];
    const tools = {
      local: {},
      hosts: {
        of: () => {
          made.push('of');
          return { state: 'unread' };
        },
        leave: () => made.push('leave'),
      },
      hostLimits: { problemOf: () => problem },
    } as unknown as HostResolutionTools;
    expect(resolveHost(tools, 'team/demo', karmada)).toMatchObject(expected);
    expect(made).toEqual(calls);
  });
});

describe('flowOf', () => {
  const withSecret = (secret: string) =>
    ({
      ...karmadaOf(),
      spec: { hostCluster: { secretRef: { namespace: 'team', name: secret } } },
    }) as const;
  const cache = new Map<string, object>([
    ['a', withSecret('one')],
    ['b', withSecret('two')],
    ['c', karmadaOf()],
  ]);
  const local = {
    karmadas: { cache: { get: ({ name }: { name: string }) => cache.get(name) } },
  } as unknown as ManagementCluster;
  const flow = (key: string) => flowOf(local, key);

  it('returns the namespace as group, however many host clusters its Karmadas name', () => {
    const keys = ['team/a', 'team/b', 'team/c', 'KarmadaBackupStore:team/s'];
    expect(keys.map((key) => flow(key).group)).toEqual(keys.map(() => 'team'));
    expect(new Set(keys.map((key) => flow(key).tenant)).size).toBe(3);
  });

  it('returns the host cluster as tenant, also for Karmadas of several namespaces', () => {
    expect(flow('other/a').tenant).toBe(flow('team/a').tenant);
    expect(flow('other/c').tenant).toBe('');
  });
});
