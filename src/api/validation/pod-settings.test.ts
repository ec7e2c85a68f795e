import { describe, expect, it } from '@jest/globals';

import { karmadaOf } from '../__fixtures__/spec.ts';
import type { PodSettings } from '../karmada.ts';
import type { CommonSettings } from '../settings.ts';
import { validate } from './validation.ts';

const errorsOf = (...podSettings: readonly PodSettings[]): readonly string[] =>
  validate(karmadaOf({ podSettings })).map(({ field, message }) => `${field}: ${message}`);

const spread = {
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'ScheduleAnyway',
} as const;

describe('validate podSettings', () => {
  it.each<[string, PodSettings, string]>([
    ['an empty list of components', { components: [] }, 'components: Required value'],
    [
      'an unknown component',
      { components: ['scheduler' as 'etcd'] },
      'components: Invalid value: "scheduler": must be one of etcd, karmadaAPIServer, ',
    ],
    ...['POD_IP', 'KARMADA_ETCD_NAME', 'KARMADA_ETCD_JOIN', 'ETCD_FORCE_NEW_CLUSTER'].map(
      (name): [string, PodSettings, string] => [
        `the variable ${name}`,
        { env: [{ name, value: 'a' }] },
        `env: Invalid value: "${name}": POD_IP, KARMADA_ETCD_* and ETCD_* are reserved`,
      ],
    ),
    [
      'a privileged container that must not escalate',
      { securityContext: { privileged: true } },
      'securityContext: privileged and CAP_SYS_ADMIN require allowPrivilegeEscalation: true',
    ],
    [
      'a capability that needs escalation',
      { securityContext: { capabilities: { add: ['CAP_SYS_ADMIN'] } } },
      'securityContext: privileged and CAP_SYS_ADMIN require',
    ],
    [
      'root that the default forbids',
      { securityContext: { runAsUser: 0 } },
      'securityContext: runAsUser 0 requires runAsNonRoot: false',
    ],
    [
      'an invalid value of a node selector',
      { nodeSelector: { pool: '-' } },
      'nodeSelector["pool"]: Invalid value: "-"',
    ],
    [
      'an invalid key of a node selector',
      { nodeSelector: { '-pool': 'a' } },
      'nodeSelector: Invalid value: "-pool"',
    ],
    [
      'an invalid PriorityClass',
      { priorityClassName: 'High' },
      'priorityClassName: Invalid value: "High"',
    ],
    [
      'requests above their limits',
      { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
      'resources.requests["cpu"]: Invalid value: "2": must not exceed the limit',
    ],
    [
      'an invalid label in an affinity',
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'zone', labelSelector: { matchLabels: { a: '-' } } },
            ],
          },
        },
      },
      'affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels["a"]: Invalid value: "-"',
    ],
    [
      'an invalid label in a selector',
      { topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: { a: '-' } } }] },
      'topologySpreadConstraints[0].labelSelector.matchLabels["a"]: Invalid value: "-"',
    ],
    [
      'a label key that the selector contains too',
      {
        topologySpreadConstraints: [
          { ...spread, labelSelector: { matchLabels: { a: 'b' } }, matchLabelKeys: ['a'] },
        ],
      },
      'topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a"',
    ],
  ])('rejects %s', (_, entry, message) => {
    const [first = '', ...others] = errorsOf({}, entry);
    expect(first).toContain(`spec.podSettings[1].${message}`);
    expect(others).toEqual([]);
  });

  it('rejects invalid fields of a component', () => {
    const karmadaSearch: CommonSettings = {
      nodeSelector: { pool: '-' },
      topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: { a: '-' } } }],
    };
    const errors = validate(karmadaOf({ components: { karmadaSearch } }));
    expect(errors.map(({ field }) => field)).toEqual([
      'spec.components.karmadaSearch.nodeSelector["pool"]',
      'spec.components.karmadaSearch.topologySpreadConstraints[0].labelSelector.matchLabels["a"]',
    ]);
  });

  it.each<[string, PodSettings]>([
    ['the Pods of backups', { components: ['backups'], priorityClassName: 'low' }],
    ['variables with similar names', { env: [{ name: 'POD_IPS' }, { name: 'MY_ETCD_X' }] }],
    [
      'a privileged root container that allows both',
      {
        securityContext: {
          privileged: true,
          allowPrivilegeEscalation: true,
          runAsUser: 0,
          runAsNonRoot: false,
        },
      },
    ],
    [
      'label keys without a selector, which the operator sets',
      { topologySpreadConstraints: [{ ...spread, matchLabelKeys: ['pod-template-hash'] }] },
    ],
  ])('accepts %s', (_, entry) => {
    expect(errorsOf(entry)).toEqual([]);
  });
});
