import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';
import type { Karmada } from '../karmada.ts';
import {
  ALLOWED_NAMESPACES_ANNOTATION,
  missingRefusal,
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
    [
      'with a grant above 256 KiB',
      secret('b', granted(`a,${'b,'.repeat(131_072)}`)),
      'SecretNotGranted',
      undefined,
    ],
    ['with an empty grant', secret('b', granted('')), 'SecretNotGranted', undefined],
    [
      'of another control plane in that namespace',
      secret('b', { ...granted('*'), labels: instance('karmada') }),
      'SecretOfOtherControlPlane',
      'SecretOfOtherControlPlane',
    ],
    [
      'of another control plane in the same namespace',
      secret('a', { labels: instance('other') }),
      'SecretOfOtherControlPlane',
      'SecretOfOtherControlPlane',
    ],
    [
      'of the control plane itself',
      secret('a', { labels: instance('demo') }),
      undefined,
      undefined,
    ],
    [
      'created by the Go operator',
      secret('b', { ...granted('*'), labels: LABELS }),
      'SecretOfOtherControlPlane',
      'SecretOfOtherControlPlane',
    ],
    [
      'with a name of another control plane but without labels',
      secret('b', { ...granted('*'), name: 'karmada-cert' }),
      'SecretOfOtherControlPlane',
      'SecretOfOtherControlPlane',
    ],
  ])('returns the expected decision for a Secret %s', (_, metadata, inGranted, inAny) => {
    const judged = (mode: 'Granted' | 'Any'): string | undefined =>
      secretRefusal(metadata, use, policy(mode, [other()]))?.reason;
    expect([judged('Granted'), judged('Any')]).toEqual([inGranted, inAny]);
  });

  it('gives one answer for a Secret of another namespace without a grant, also if it does not exist', () => {
    const judge = (metadata: ObjectMeta) =>
      secretRefusal(metadata, use, policy('Granted', [other()]));
    const missing = missingRefusal(
      { namespace: 'b', name: secret('b').name },
      use,
      policy('Granted'),
    );
    expect(missing?.reason).toBe('SecretNotGranted');
    expect(judge(secret('b'))).toEqual(missing);
    expect(judge(secret('b', { labels: instance('karmada') }))).toEqual(missing);
    expect(judge(secret('b', { labels: LABELS }))).toEqual(missing);
  });

  it('lets a Karmada know that a Secret in its own namespace does not exist', () => {
    const name = secret('a').name;
    expect(missingRefusal({ namespace: 'a', name }, use, policy('Granted'))).toBeUndefined();
    expect(missingRefusal({ namespace: 'b', name }, use, policy('Any'))).toBeUndefined();
  });

  it('requires a grant for the Secret that a user provides for the etcd of another Karmada', () => {
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

  it('rejects a Secret of another namespace when the annotation lists neither the namespace nor all', () => {
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
  it('returns only Secrets that a Karmada references in other namespaces', () => {
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

describe('createSecretPolicy', () => {
  it('finds the owner by the name of the Secret only among Karmadas with the beginning of this name', () => {
    const named = (name: string) =>
      ({ metadata: { name, namespace: 'b' }, spec: {} }) as unknown as Karmada;
    const all = ['other', 'demo', 'demo-2', 'karmada-demo'].map(named);
    const owner = (name: string) => policy('Granted', all).madeFor({ name, namespace: 'b' });
    expect(owner('demo-karmada-cert')).toEqual({ name: 'demo', namespace: 'b' });
    expect(owner('demo-2-karmada-cert')).toEqual({ name: 'demo-2', namespace: 'b' });
    expect(owner('karmada-demo-cert')).toEqual({ name: 'karmada-demo', namespace: 'b' });
    expect(owner('third-karmada-cert')).toBeUndefined();
  });
});
