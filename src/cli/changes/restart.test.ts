import { describe, expect, it } from '@jest/globals';
import {
  API_VERSION,
  KIND,
  type Condition,
  type Karmada,
  type KarmadaSpec,
} from '../../api/karmada.ts';
import { fill } from '../../api/defaults/fill.ts';
import { isWorkload } from '../../components/workload.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { wishOf } from '../../instance/__fixtures__/instance.ts';
import { hashIn } from '../../etcd-cluster/pods/membership.ts';
import { RESTART_ANNOTATION, restartDecision } from './restart.ts';

const CLAIM = { volumeClaim: { spec: {} } };
const SPEC: KarmadaSpec = { components: { etcd: { local: { replicas: 1, volumeData: CLAIM } } } };

const karmadaOf = (spec: KarmadaSpec, more: Partial<Karmada> = {}): Karmada => ({
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: { namespace: 'team', name: 'demo' },
  spec,
  ...more,
});
const time = '2026-01-02T03:04:05.678Z';
const restart = (karmada: Karmada, ...components: string[]) =>
  restartDecision(karmada, { components, time });

/** Part of the Pod template whose change restarts Pods; the operator restarts etcd members by this hash only. */
const templateOf = (object: KubernetesObject): string =>
  hashIn(object) ?? JSON.stringify((object['spec'] as { template: object }).template);

/** Components that a line names. */
const restarted = ([line = '']: readonly string[] = []): readonly string[] =>
  /all Pods of (.*), in the order/.exec(line)?.[1]?.split(', ') ?? [];

describe('restartDecision', () => {
  it('annotates the named components, and nothing else', () => {
    const annotations = { [RESTART_ANNOTATION]: time };
    expect(restart(karmadaOf(SPEC), 'etcd', 'karmada-scheduler')).toEqual({
      patch: {
        spec: {
          components: { etcd: { local: { annotations } }, karmadaScheduler: { annotations } },
        },
      },
      effect: [
        'The operator replaces all Pods of etcd, karmada-scheduler, in the order of an upgrade.',
        'etcd has one member: the API of the control plane does not answer while it restarts.',
      ],
      done: 'patched',
    });
  });

  it('restarts all installed components, and makes no other one', () => {
    const components = {
      ...SPEC.components,
      karmadaSearch: {},
      karmadaDescheduler: { enabled: false },
    };
    const { patch, effect } = restart(karmadaOf({ components }));
    expect(restarted(effect)).toEqual([
      'etcd',
      'karmada-apiserver',
      'karmada-aggregated-apiserver',
      'karmada-controller-manager',
      'kube-controller-manager',
      'karmada-scheduler',
      'karmada-webhook',
      'karmada-metrics-adapter',
      'karmada-search',
    ]);
    expect(JSON.stringify(patch)).not.toContain('karmadaDescheduler');
  });

  it('changes the Pod templates of the restarted components, and no other ones', () => {
    const templates = (spec: KarmadaSpec): ReadonlyMap<string, string> =>
      new Map(
        wishOf(spec)
          .objects.filter(({ object }) => isWorkload(object))
          .map(({ step, object }) => [step, templateOf(object)]),
      );
    const { patch } = restart(karmadaOf(SPEC), 'etcd', 'karmada-webhook');
    const after = templates(fill(patch?.spec ?? {}, SPEC) as KarmadaSpec);
    const changed = [...templates(SPEC)].filter(([step, template]) => after.get(step) !== template);
    expect(changed.map(([step]) => step)).toEqual(['etcd', 'karmada-webhook']);
  });

  it('leaves out an etcd that must not restart, if no component is named', () => {
    const { effect } = restart(karmadaOf({ components: { etcd: { local: {} } } }));
    expect(restarted(effect)[0]).toBe('karmada-apiserver');
    expect(effect).toHaveLength(1);
  });

  const warning: Condition = {
    type: 'Warning',
    status: 'True',
    reason: 'EtcdTemplateKept',
    message: 'kept',
    lastTransitionTime: time,
  };
  it.each<[string, Karmada, string]>([
    [
      'karmada-search',
      karmadaOf(SPEC),
      'karmada-search: not installed; to install it, set spec.components.karmadaSearch',
    ],
    [
      'karmada-metrics-adapter',
      karmadaOf({ components: { karmadaMetricsAdapter: { enabled: false } } }),
      'karmada-metrics-adapter: not installed',
    ],
    ['scheduler', karmadaOf(SPEC), 'unknown component "scheduler"; one of: etcd, '],
    ['etcd', karmadaOf({}), 'etcd: its only member keeps its data in an emptyDir'],
    [
      'etcd',
      karmadaOf({ components: { etcd: { external: { endpoints: [], secretRef: {} } } } }),
      'etcd: the operator does not manage an external etcd',
    ],
    [
      'etcd',
      karmadaOf(SPEC, { status: { conditions: [warning] } }),
      'the Pod template of the Go operator',
    ],
    ['etcd', karmadaOf({ ...SPEC, suspend: true }), 'spec.suspend is true'],
    [
      'etcd',
      karmadaOf(SPEC, { metadata: { name: 'demo', namespace: 'team', deletionTimestamp: time } }),
      'Karmada team/demo is being deleted',
    ],
  ])('rejects a restart of %s in case %#', (component, karmada, message) => {
    expect(() => restart(karmada, component)).toThrow(message);
  });
});
