import { describe, expect, it } from '@jest/globals';
import { collector } from './collector.fixture.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { SharedValues } from './shared-values.ts';

const CA = 'Q'.repeat(100_000);

const parsed = (object: object): KubernetesObject =>
  JSON.parse(JSON.stringify(object)) as KubernetesObject;

/** A configuration with some webhooks, as it is parsed. */
const configuration = (name: string, caBundle = CA): KubernetesObject =>
  parsed({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [1, 2].map((id) => ({ id, clientConfig: { caBundle } })),
  });

/** A role of a control plane, as it is parsed. */
const role = (uid: string, verbs: readonly string[] = ['get', 'list', 'watch']): KubernetesObject =>
  parsed({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'edit',
      uid,
      labels: {
        'app.kubernetes.io/managed-by': 'karmada-operator',
        'app.kubernetes.io/instance': 'karmada',
        'app.kubernetes.io/name': 'karmada',
      },
    },
    rules: [
      { apiGroups: ['work.karmada.io'], resources: ['resourcebindings'], verbs },
      { apiGroups: ['policy.karmada.io'], resources: ['propagationpolicies'], verbs },
    ],
  });

describe('SharedValues', () => {
  it.each([
    ['webhooks', configuration('a')],
    ['a short text', configuration('b', 'short')],
    ['a text that is too long', configuration('c', CA.repeat(2))],
    ['a role', role('1')],
    ['members in another order', parsed({ ...role('2'), rules: [{ verbs: [], resources: [] }] })],
    ['other types', parsed({ ...role('3'), a: null, b: [1, '1', true, {}, [], [[]]], c: [CA, 1] })],
    ['a status', parsed({ ...role('4'), status: { conditions: [{ message: CA }] } })],
  ])('changes no value of an object with %s', (_, object) => {
    const values = new SharedValues();
    for (const one of [object, role('5'), configuration('d'), object])
      expect(values.share(structuredClone(one))).toEqual(one);
  });

  it('gives two control planes of one release the same rules and labels', () => {
    const values = new SharedValues();
    const [one, other] = [values.share(role('1')), values.share(role('2'))];
    expect(one['rules'] === other['rules']).toBe(true);
    expect(one.metadata.labels === other.metadata.labels).toBe(true);
    expect([one.metadata.uid, other.metadata.uid]).toEqual(['1', '2']);
  });

  it.each([
    ['another value', role('2', ['get', 'list', 'update'])],
    ['another order', role('2', ['list', 'get', 'watch'])],
    ['one text in place of two', role('2', ['get","list', 'watch'])],
    ['fewer values', role('2', ['get', 'list'])],
  ])('does not share a list that has %s', (_, object) => {
    const values = new SharedValues();
    const { rules } = values.share(role('1'));
    const shared = values.share(structuredClone(object));
    expect(shared['rules'] === rules).toBe(false);
    expect(shared).toEqual(object);
  });

  it('does not take a text for the identifier of a value', () => {
    const values = new SharedValues();
    values.share(configuration('a'));
    const forged = parsed({ ...configuration('b', '#1'), padding: 'x'.repeat(100) });
    expect(values.share(structuredClone(forged))).toEqual(forged);
  });

  it('keeps a text once that many objects have', async () => {
    const collect = collector();
    const values = new SharedValues();
    const before = await collect();
    const objects = Array.from({ length: 50 }, (_, n) => values.share(configuration(String(n))));
    expect((await collect()) - before).toBeLessThan(1_000_000);
    expect(objects).toHaveLength(50);
  });

  it('forgets values that are no longer used, and keeps those that are', async () => {
    const collect = collector();
    const values = new SharedValues();
    const { rules } = values.share(role('1'));
    const before = await collect();
    for (let n = 0; n < 8_000; n += 1) {
      values.share(configuration('a', `${String(n)}${'x'.repeat(2_000)}`));
      if (n % 500 === 0) expect(values.share(role(String(n)))['rules'] === rules).toBe(true);
    }
    expect((await collect()) - before).toBeLessThan(12_000_000);
  });
});
