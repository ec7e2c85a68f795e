import { describe, expect, it } from '@jest/globals';

import type { PodSettings } from '../karmada.ts';
import { podFieldsOf, podSettingsFor } from './pod-settings.ts';
import type { CommonSettings, PodFields } from '../settings.ts';

const variable = (name: string, value: string) => ({ name, value });

describe('podFieldsOf', () => {
  it.each<[string, readonly PodSettings[] | undefined, object]>([
    ['without a list', undefined, {}],
    ['when no entry selects the component', [{ components: ['etcd'], runtimeClassName: 'a' }], {}],
    [
      'of an entry for all components',
      [{ runtimeClassName: 'a', nodeSelector: { b: 'c' } }],
      { runtimeClassName: 'a', nodeSelector: { b: 'c' } },
    ],
    [
      'of the later entry for each field that both set',
      [
        { runtimeClassName: 'a', nodeSelector: { b: 'c' }, securityContext: { runAsUser: 1 } },
        {
          components: ['etcd', 'karmadaWebhook'],
          nodeSelector: { d: 'e' },
          securityContext: { runAsGroup: 2 },
        },
      ],
      { runtimeClassName: 'a', nodeSelector: { d: 'e' }, securityContext: { runAsGroup: 2 } },
    ],
    [
      'with the variables of both entries, where a later one replaces that with its name',
      [
        { env: [variable('A', '1'), variable('B', '2')] },
        { components: ['karmadaWebhook'], env: [variable('A', '3'), variable('C', '4')] },
      ],
      { env: [variable('A', '3'), variable('B', '2'), variable('C', '4')] },
    ],
  ])('returns the fields %s', (_, list, fields) => {
    expect(podFieldsOf(list, 'karmadaWebhook')).toEqual(fields);
  });
});

describe('podFieldsOf with the settings of the component', () => {
  const entries: readonly PodSettings[] = [
    {
      nodeSelector: { pool: 'all' },
      tolerations: [{ key: 'all', operator: 'Exists' }],
      affinity: { podAffinity: {} },
      priorityClassName: 'all',
      resources: { requests: { cpu: '1' } },
      topologySpreadConstraints: [],
    },
  ];
  const [{ ...given } = {}] = entries;

  it.each<[string, CommonSettings, PodFields]>([
    ['of the entries without own fields', {}, given],
    [
      'of the component where it has its own',
      {
        nodeSelector: { pool: 'own' },
        tolerations: [{ key: 'own' }],
        affinity: { podAntiAffinity: {} },
        priorityClassName: 'own',
        resources: { limits: { cpu: '2' } },
      },
      {
        nodeSelector: { pool: 'own' },
        tolerations: [{ key: 'own' }],
        affinity: { podAntiAffinity: {} },
        priorityClassName: 'own',
        resources: { limits: { cpu: '2' } },
        topologySpreadConstraints: [],
      },
    ],
    [
      'of the component where it is empty',
      { nodeSelector: {}, tolerations: [], affinity: {} },
      { ...given, nodeSelector: {}, tolerations: [], affinity: {} },
    ],
    [
      'of the entries where the component has what the API server or the Go operator stores',
      { priorityClassName: 'system-node-critical', resources: {} },
      given,
    ],
  ])('returns the fields %s', (_, settings, fields) => {
    expect(podFieldsOf(entries, 'etcd', settings)).toEqual(fields);
  });

  it('has no priority class when the last entry that sets it selects the default', () => {
    const list: readonly PodSettings[] = [{ priorityClassName: 'a' }, { priorityClassName: '' }];
    expect(podFieldsOf(list, 'etcd')).toEqual({});
  });

  it('selects the Pods of backups by name and without a list of components', () => {
    const list: readonly PodSettings[] = [
      { runtimeClassName: 'a', priorityClassName: 'b' },
      { components: ['etcd'], priorityClassName: 'c' },
      { components: ['backups'], runtimeClassName: 'd' },
    ];
    expect(podFieldsOf(list, 'backups')).toEqual({ runtimeClassName: 'd', priorityClassName: 'b' });
    expect(podFieldsOf(list, 'etcd')).toEqual({ runtimeClassName: 'a', priorityClassName: 'c' });
  });
});

describe('podSettingsFor', () => {
  it('keeps the order and removes other components and entries without a component', () => {
    const list: readonly PodSettings[] = [
      { runtimeClassName: 'a' },
      { components: ['etcd'], runtimeClassName: 'b' },
      { components: ['karmadaWebhook', 'etcd'], runtimeClassName: 'c' },
    ];
    expect(podSettingsFor(list, ['karmadaWebhook', 'karmadaSearch'])).toEqual([
      { components: ['karmadaWebhook', 'karmadaSearch'], runtimeClassName: 'a' },
      { components: ['karmadaWebhook'], runtimeClassName: 'c' },
    ]);
    expect(podSettingsFor(undefined, ['etcd'])).toEqual([]);
  });
});
