import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ObjectMeta } from '../kubernetes/object.ts';
import type { Karmada } from './karmada.ts';
import {
  ALLOWED_NAMESPACES_ANNOTATION,
  secretRefusal,
  secretsElsewhere,
  type KarmadaRef,
  type SecretPolicy,
} from './secret-grant.ts';
import { createSecretPolicy } from './secret-policy.ts';

const user: KarmadaRef = { name: 'demo', namespace: 'a' };
const use = { field: 'spec.x', user };
const LABELS = { 'app.kubernetes.io/managed-by': 'karmada-operator' };
const instance = (name: string) => ({ ...LABELS, 'app.kubernetes.io/instance': name });
const secret = (namespace: string, more: Partial<ObjectMeta> = {}): ObjectMeta => ({
  name: 'ca',
  namespace,
  ...more,
});
const granted = (value: string): Partial<ObjectMeta> => ({
  annotations: { [ALLOWED_NAMESPACES_ANNOTATION]: value },
});
const other = (spec: object = {}) =>
  ({ metadata: { name: 'karmada', namespace: 'b' }, spec }) as unknown as Karmada;
const policy = (mode: 'Granted' | 'Any', karmadas: readonly Karmada[] = []): SecretPolicy =>
  createSecretPolicy(mode, () => karmadas);

describe('secretRefusal', () => {
  it.each<[string, ObjectMeta, string | undefined, string | undefined]>([
    ['in the namespace of the Karmada', secret('a'), undefined, undefined],
    ['in another namespace', secret('b'), 'SecretNotGranted', undefined],
    ['granted to the namespace', secret('b', granted('a')), undefined, undefined],
    ['granted to a list with the namespace', secret('b', granted('c, a ,d')), undefined, undefined],
    ['granted to all', secret('b', granted('*')), undefined, undefined],
    ['granted to others', secret('b', granted('aa,b')), 'SecretNotGranted', undefined],
    ['with an empty grant', secret('b', granted('')), 'SecretNotGranted', undefined],
    [
      'made for another control plane there',
      secret('b', { ...granted('*'), labels: instance('karmada') }),
      'SecretOfOtherControlPlane',
      'SecretOfOtherControlPlane',
    ],
    [
      'made for another control plane beside it',
      secret('a', { labels: instance('other') }),
      'SecretOfOtherControlPlane',
      'SecretOfOtherControlPlane',
    ],
    [
      'made for the control plane itself',
      secret('a', { labels: instance('demo') }),
      undefined,
      undefined,
    ],
    [
      'made by the Go operator',
      secret('b', { ...granted('*'), labels: LABELS }),
      'SecretOfOtherControlPlane',
      'SecretOfOtherControlPlane',
    ],
    [
      'named as one of another control plane, its labels lost',
      secret('b', { ...granted('*'), name: 'karmada-cert' }),
      'SecretOfOtherControlPlane',
      'SecretOfOtherControlPlane',
    ],
  ])('judges a Secret %s', (_, metadata, inGranted, inAny) => {
    const judged = (mode: 'Granted' | 'Any'): string | undefined =>
      secretRefusal(metadata, use, policy(mode, [other()]))?.reason;
    expect([judged('Granted'), judged('Any')]).toEqual([inGranted, inAny]);
  });

  it("leaves the Secret that a user gave for another Karmada's etcd to its owner", () => {
    const external = {
      components: { etcd: { external: { secretRef: { name: 'karmada-etcd-cert' } } } },
    };
    const given = secret('b', { name: 'karmada-etcd-cert', labels: LABELS });
    const reason = (annotations: Partial<ObjectMeta>): string | undefined =>
      secretRefusal({ ...given, ...annotations }, use, policy('Granted', [other(external)]))
        ?.reason;
    expect(reason({})).toBe('SecretNotGranted');
    expect(reason(granted('a'))).toBeUndefined();
  });

  it('never lets a Secret of another namespace be used that does not name the namespace or all', () => {
    const namespace = fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.array(namespace), namespace, (allowed, asking) => {
        const metadata = { name: 's', namespace: 'Owner', ...granted(allowed.join(',')) };
        const refusal = secretRefusal(
          metadata,
          { field: 'f', user: { name: 'k', namespace: asking } },
          policy('Granted'),
        );
        expect(refusal === undefined).toBe(allowed.includes(asking));
      }),
    );
  });
});

describe('secretsElsewhere', () => {
  it('lists what a Karmada names in other namespaces', () => {
    const karmada = {
      metadata: { name: 'demo', namespace: 'a' },
      spec: {
        hostCluster: { secretRef: { name: 'host', namespace: 'b' } },
        customCertificate: { apiServerCACert: { name: 'ca', namespace: 'a' } },
        components: { etcd: { external: { endpoints: [], secretRef: { name: 'etcd' } } } },
      },
    };
    expect(secretsElsewhere(karmada).map(({ field }) => field)).toEqual([
      'spec.hostCluster.secretRef',
    ]);
  });
});
