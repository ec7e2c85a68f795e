import { describe, expect, it } from '@jest/globals';

import type { PodSettings } from './karmada.ts';
import { podFieldsOf, podSettingsFor } from './pod-settings.ts';

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
