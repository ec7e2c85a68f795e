import { beforeAll, describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { MANAGED_BY, MANAGER } from '../../api/labels.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { issuance, INPUTS, ready, request } from '../../pki/fixture.test-data.ts';
import { findOwnSecrets } from '../../instance/own-objects.ts';
import { adoptableSecrets, anchorOf, belongsTo, goSecretNames, type Anchor } from './go-secrets.ts';

const { name, namespace } = INPUTS;

type Secrets = Readonly<Record<string, KubernetesObject>>;

/** Secrets of one control plane with the only label that the Go operator sets. */
async function secretsOf(): Promise<Secrets> {
  const { secrets } = ready(await ensureCertificates(request(), issuance()));
  const objects = secrets.map(({ role, name: called, data }): [string, KubernetesObject] => [
    role,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: called, namespace, labels: { [MANAGED_BY]: MANAGER } },
      data,
    },
  ]);
  return Object.fromEntries(objects);
}

const withLabels = (
  secret: KubernetesObject | undefined,
  labels: Readonly<Record<string, string>>,
): KubernetesObject => {
  if (secret === undefined) throw new Error('no such Secret');
  return { ...secret, metadata: { ...secret.metadata, labels } };
};

const withData = (
  secret: KubernetesObject | undefined,
  data: Readonly<Record<string, unknown>>,
): KubernetesObject => {
  if (secret === undefined) throw new Error('no such Secret');
  return { ...secret, data: { ...(secret['data'] as object), ...data } };
};

let own: Secrets;
let other: Secrets;

beforeAll(async () => {
  [own, other] = await Promise.all([secretsOf(), secretsOf()]);
});

const dataOf = (secret: KubernetesObject | undefined): Readonly<Record<string, unknown>> =>
  (secret?.['data'] ?? {}) as Readonly<Record<string, unknown>>;

/** A value of the Secret with the CAs, repeated. */
function repeated(key: string, count: number): string {
  const text = Buffer.from(String(dataOf(own['cert'])[key]), 'base64').toString('utf8');
  return Buffer.from(text.repeat(count)).toString('base64');
}

describe('goSecretNames', () => {
  it('begins with the Secret of the CAs, and leaves that of an external etcd to the user', () => {
    expect(goSecretNames('demo', 'local')[0]).toBe('demo-karmada-cert');
    expect(goSecretNames('demo', 'local')).toContain('demo-karmada-etcd-cert');
    expect(goSecretNames('demo', 'external')).not.toContain('demo-karmada-etcd-cert');
    expect(goSecretNames('demo', 'local')).toHaveLength(12);
  });
});

describe('anchorOf', () => {
  it('returns the CAs of a control plane in this namespace', () => {
    const anchor = anchorOf(withLabels(own['cert'], { [MANAGED_BY]: MANAGER }), namespace);
    expect(anchor?.authority).toContain('BEGIN CERTIFICATE');
    expect(anchor?.etcdBundle).toContain('BEGIN CERTIFICATE');
  });

  it.each<[string, () => KubernetesObject, string]>([
    ['has no label of the operator', () => withLabels(own['cert'], {}), namespace],
    [
      'has the label of a Karmada',
      () => withLabels(own['cert'], { [MANAGED_BY]: MANAGER, 'app.kubernetes.io/instance': name }),
      namespace,
    ],
    ['is a copy from another namespace', () => withData(own['cert'], {}), 'team-b'],
    [
      'has the key of another CA',
      () => withData(own['cert'], { 'ca.key': dataOf(other['cert'])['ca.key'] }),
      namespace,
    ],
    [
      'has a serving certificate of another CA',
      () => withData(own['cert'], { 'apiserver.crt': dataOf(other['cert'])['apiserver.crt'] }),
      namespace,
    ],
    [
      'has more certificates than CAs can have',
      () => withData(own['cert'], { 'ca.crt': repeated('ca.crt', 40) }),
      namespace,
    ],
    [
      'has a serving certificate above its limit',
      () => withData(own['cert'], { 'apiserver.crt': repeated('apiserver.crt', 300) }),
      namespace,
    ],
    [
      'has an administrator above the limit of a certificate',
      () => withData(own['cert'], { 'karmada.crt': repeated('karmada.crt', 40) }),
      namespace,
    ],
    ['has no administrator', () => withData(own['cert'], { 'karmada.key': '' }), namespace],
  ])('returns undefined for a Secret that %s', (_, secret, where) => {
    expect(anchorOf(secret(), where)).toBeUndefined();
  });
});

describe('belongsTo', () => {
  const anchor = (): Anchor => {
    const found = anchorOf(withData(own['cert'], {}), namespace);
    if (found === undefined) throw new Error('no anchor');
    return found;
  };

  it.each(['etcd-cert', 'webhook-cert', 'admin-config'])(
    'accepts %s of the same CA, and rejects that of another one',
    (role) => {
      expect(belongsTo(anchor(), withData(own[role], {}), name)).toBe(true);
      expect(belongsTo(anchor(), withData(other[role], {}), name)).toBe(false);
    },
  );

  it('rejects a Secret with unreadable content, and one with the label of a Karmada', () => {
    const empty = { 'karmada.config': 'bm90IGEga3ViZWNvbmZpZw==' };
    expect(belongsTo(anchor(), withData(own['admin-config'], empty), name)).toBe(false);
    const labels = { [MANAGED_BY]: MANAGER, 'app.kubernetes.io/instance': 'other' };
    expect(belongsTo(anchor(), withLabels(own['webhook-cert'], labels), name)).toBe(false);
  });
});

describe('adoptableSecrets', () => {
  const read = (secrets: Secrets) => {
    const found = new Map(Object.values(secrets).map((each) => [each.metadata.name, each]));
    const client = anyClient({
      find: (_, key) => Promise.resolve(found.get(key.name)),
    });
    const names = goSecretNames(name, 'local');
    return findOwnSecrets(client, { name, namespace }, names, {
      recognize: adoptableSecrets({ name, namespace }),
    });
  };
  /** Secrets that the Go operator writes too, among those of this operator. */
  const ROLES = ['cert', 'etcd-cert', 'webhook-cert', 'admin-config'];
  const ofGo = (secrets: Secrets): Secrets =>
    Object.fromEntries(Object.entries(secrets).filter(([role]) => ROLES.includes(role)));

  it('lets a preview read the Secrets of the Go operator before their adoption', async () => {
    expect((await read(ofGo(own))).size).toBe(ROLES.length);
  });

  it('recognizes no Secret of another CA, and none without the Secret with the CAs', async () => {
    const mixed = { ...ofGo(own), 'webhook-cert': other['webhook-cert'] as KubernetesObject };
    await expect(read(mixed)).rejects.toThrow('webhook-cert: exists, but the operator');
    const rest = Object.entries(ofGo(own)).filter(([role]) => role !== 'cert');
    await expect(read(Object.fromEntries(rest))).rejects.toThrow('exists, but the operator');
  });
});
