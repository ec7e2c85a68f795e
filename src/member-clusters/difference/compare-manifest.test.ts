import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isObject } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { changedFields } from './compare-manifest.ts';

const object = (apiVersion: string, kind: string, more: object): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', namespace: 'default' },
  ...more,
});

const deployment = (spec: object, more: object = {}): KubernetesObject =>
  object('apps/v1', 'Deployment', { spec, ...more });

const container = (more: object): object => ({ name: 'web', image: 'web:1', ...more });
const withContainers = (...containers: object[]): KubernetesObject =>
  deployment({ template: { spec: { containers } } });

const pod = (more: object): KubernetesObject => object('v1', 'Pod', { spec: more });
const service = (spec: object): KubernetesObject => object('v1', 'Service', { spec });
const configMap = (data: object): KubernetesObject => object('v1', 'ConfigMap', { data });
const secret = (type: string, data: object): KubernetesObject =>
  object('v1', 'Secret', { type, data });
const generation = (value: string): object => ({
  metadata: { name: 'x', annotations: { 'resourcetemplate.karmada.io/generation': value } },
});
const retaining = {
  metadata: { name: 'x', labels: { 'resourcetemplate.karmada.io/retain-replicas': 'true' } },
};

describe('changedFields', () => {
  it.each<[string, KubernetesObject, KubernetesObject, string[]]>([
    ['nothing if both are equal', deployment({ replicas: 1 }), deployment({ replicas: 1 }), []],
    [
      'nothing for defaults of the API server',
      withContainers(container({ imagePullPolicy: 'IfNotPresent', resources: {} })),
      withContainers(container({})),
      [],
    ],
    [
      'nothing for quantities in other units',
      withContainers(container({ resources: { limits: { cpu: '500m' } } })),
      withContainers(container({ resources: { limits: { cpu: '0.5' } } })),
      [],
    ],
    [
      'nothing for the status, and metadata of the API server',
      deployment({}, { metadata: { name: 'x', uid: '1', generation: 4 }, status: { replicas: 2 } }),
      deployment({}, { metadata: { name: 'x', generation: 1 }, status: { replicas: 9 } }),
      [],
    ],
    [
      'a changed field',
      deployment({ replicas: 3 }),
      deployment({ replicas: 1 }),
      ['spec.replicas'],
    ],
    [
      'a changed container',
      withContainers(container({ image: 'web:2' })),
      withContainers(container({})),
      ['spec.template.spec.containers[web].image'],
    ],
    [
      'a missing container',
      withContainers(container({})),
      withContainers(container({}), { name: 'log' }),
      ['spec.template.spec.containers[log]'],
    ],
    [
      'the generation of the resource template, after a field was added',
      deployment({ paused: true }, generation('2')),
      deployment({}, generation('1')),
      ['metadata.annotations.resourcetemplate.karmada.io/generation'],
    ],
    [
      'nothing for replicas that the member cluster retains',
      deployment({ replicas: 7 }, retaining),
      deployment({ replicas: 1 }, retaining),
      [],
    ],
    [
      'nothing for fields of a Pod that the member cluster sets',
      pod({ nodeName: 'n', serviceAccountName: 'default', containers: [{ name: 'c' }] }),
      pod({
        nodeName: 'other',
        serviceAccountName: 'x',
        volumes: [{ name: 'v' }],
        containers: [{ name: 'c', volumeMounts: [{ mountPath: '/v' }] }],
      }),
      [],
    ],
    [
      'nothing for the address of a Service',
      service({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports: [{ port: 80 }] }),
      service({ clusterIP: '10.0.0.9', ports: [{ port: 80 }] }),
      [],
    ],
    [
      'ports and selectors that only the Service of the member cluster has',
      service({ selector: { app: 'a', tier: 'b' }, ports: [{ port: 80 }, { port: 81 }] }),
      service({ selector: { app: 'a' }, ports: [{ port: 80 }] }),
      ['spec.selector.tier', 'spec.ports'],
    ],
    [
      'keys that only the ConfigMap of the member cluster has',
      configMap({ a: '1', added: '2' }),
      configMap({ a: '0' }),
      ['data.a', 'data.added'],
    ],
    [
      'all keys, if the ConfigMap of the Work has none',
      configMap({ constructor: '1' }),
      object('v1', 'ConfigMap', {}),
      ['data.constructor'],
    ],
    [
      'keys and no values of a Secret',
      secret('Opaque', { password: 'aGlkZGVu' }),
      secret('Opaque', { password: 'b2xk' }),
      ['data.password'],
    ],
    [
      'nothing for the token of a ServiceAccount',
      secret('kubernetes.io/service-account-token', { token: 'x' }),
      secret('kubernetes.io/service-account-token', { token: 'y' }),
      [],
    ],
    [
      'nothing for labels that the member cluster sets in a Job',
      object('batch/v1', 'Job', { spec: { selector: { matchLabels: { uid: '1' } } } }),
      object('batch/v1', 'Job', { spec: { selector: { matchLabels: { uid: '2' } } } }),
      [],
    ],
  ])('returns %s', (_, live, manifest, fields) => {
    expect(changedFields(live, manifest)).toEqual(fields);
  });

  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      fc.string(),
      fc.boolean(),
      fc.array(fc.integer()),
      fc.dictionary(fc.string({ minLength: 1 }), tie('value')),
    ),
  }))['value'] as fc.Arbitrary<unknown>;
  const specs = fc.dictionary(fc.string({ minLength: 1 }), value);

  /** Adds a field to each object, as an API server does with defaults. */
  const defaulted = (one: unknown): unknown =>
    isObject(one)
      ? {
          'added by the API server': 1,
          ...Object.fromEntries(Object.entries(one).map(([key, field]) => [key, defaulted(field)])),
        }
      : one;

  it('returns nothing for an object to which the member cluster only added fields', () => {
    fc.assert(
      fc.property(specs, (spec) => {
        const live = deployment(defaulted(spec) as object);
        expect(changedFields(live, deployment(spec))).toEqual([]);
      }),
    );
  });

  it('returns the path of a field whose value differs, whatever else is equal', () => {
    fc.assert(
      fc.property(specs, fc.integer(), (spec, replicas) => {
        const live = deployment({ ...spec, replicas });
        const manifest = deployment({ ...spec, replicas: replicas + 1 });
        expect(changedFields(live, manifest)).toEqual(['spec.replicas']);
      }),
    );
  });
});
