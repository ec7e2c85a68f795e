/** Security tests: a tenant with write access to Karmadas in one namespace references Secrets of other tenants. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALLOWED_NAMESPACES_ANNOTATION } from '../../../src/api/secrets/secret-grant.ts';
import type { KarmadaSpec } from '../../../src/api/karmada.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import type { KeyPair } from '../../../src/pki/types.ts';
import { selfSigned } from '../../../src/pki/x509.ts';
import { startTenants, type Tenants } from '../../harness/servers/tenants.ts';

let environment: Tenants;
let authority: KeyPair;

const victim = 'victim';
const filesOf = ({ certificate, key }: KeyPair): Readonly<Record<string, string>> => ({
  'ca.crt': certificate,
  'tls.crt': certificate,
  'tls.key': key,
});

beforeAll(async () => {
  environment = await startTenants();
  const now = new Date();
  authority = await selfSigned('CA', await makeKey('ec-p256'), { now, random: randomBytes });
  await environment.namespace(victim);
  await environment.secret({ namespace: victim, name: 'ca' }, filesOf(authority));
  await environment.secret(
    { namespace: victim, name: 'host' },
    { token: 'secret-token', caBundle: authority.certificate },
  );
  // Created by the operator for the victim's Karmada; its annotation even allows all namespaces.
  const labels = {
    'app.kubernetes.io/managed-by': 'karmada-operator',
    'app.kubernetes.io/instance': 'karmada',
  };
  await environment.secret(
    { namespace: victim, name: 'karmada-cert', labels },
    filesOf(authority),
    {
      [ALLOWED_NAMESPACES_ANNOTATION]: '*',
    },
  );
});

afterAll(async () => {
  await environment.stop();
});

/** Each Karmada uses another etcd, because two control planes with one etcd are rejected for another reason. */
const external = (name: string, etcd = name): KarmadaSpec => ({
  components: {
    etcd: {
      external: {
        endpoints: [`https://${etcd}.invalid:2379`],
        secretRef: { name, namespace: victim },
      },
    },
  },
});
const authorityFrom = (name: string): KarmadaSpec => ({
  customCertificate: { apiServerCACert: { name, namespace: victim } },
});
const hostFrom = (name: string): KarmadaSpec => ({
  hostCluster: {
    apiEndpoint: 'https://host.invalid:6443',
    secretRef: { name, namespace: victim },
  },
});

describe('Karmada that names a Secret of another tenant to find out whether it exists', () => {
  it.each<[string, string, (name: string) => KarmadaSpec, string]>([
    ['a host cluster', 'host', hostFrom, 'HostReachable'],
    ['an external etcd', 'ca', (name) => external(name, `${name}-probed`), 'EtcdReady'],
    ['a custom CA', 'ca', authorityFrom, 'CertificatesValid'],
  ])('gets the same answer for %s in both cases', async (_, present, specOf, type) => {
    const answer = async (name: string): Promise<string> => {
      const namespace = `probe-${type.toLowerCase()}-${name}`;
      await environment.namespace(namespace);
      await environment.karmada(namespace, specOf(name));
      const { reason, message } = await environment.told(
        namespace,
        (one) => one.type === type && one.reason === 'SecretNotGranted',
      );
      return `${reason} ${message}`
        .replaceAll(namespace, 'NAMESPACE')
        .replaceAll(`${victim}/${name}`, 'SECRET');
    };
    expect(await answer('absent')).toBe(await answer(present));
  });
});

describe('Karmada that references a Secret of another tenant', () => {
  it.each<[string, [string, KarmadaSpec], [string, string]]>([
    [
      'the client certificate of an etcd',
      ['a-etcd', external('ca')],
      ['EtcdReady', 'SecretNotGranted'],
    ],
    ['a CA', ['a-ca', authorityFrom('ca')], ['CertificatesValid', 'SecretNotGranted']],
    [
      'the credentials of a host cluster',
      ['a-host', hostFrom('host')],
      ['HostReachable', 'SecretNotGranted'],
    ],
    [
      'the certificates of another control plane as client certificate of an etcd',
      ['a-cert', external('karmada-cert')],
      ['EtcdReady', 'SecretOfOtherControlPlane'],
    ],
    [
      'the CA of another control plane',
      ['a-cert-ca', authorityFrom('karmada-cert')],
      ['CertificatesValid', 'SecretOfOtherControlPlane'],
    ],
  ])(
    'is rejected with %s, and no Secret value is copied',
    async (_, [namespace, spec], [type, reason]) => {
      await environment.namespace(namespace);
      await environment.karmada(namespace, spec);
      const { message } = await environment.told(
        namespace,
        (condition) => condition.type === type && condition.reason === reason,
      );
      expect(message).toMatch(/^spec\.[\w.]+: .*Secret victim\//);
      if (reason === 'SecretNotGranted')
        expect(message).toContain(`${ALLOWED_NAMESPACES_ANNOTATION}: "${namespace}"`);
      const values = await environment.values(namespace);
      const stolen = values.filter(
        (value) => value.includes(authority.key) || value.includes('secret-token'),
      );
      expect(stolen).toEqual([]);
    },
  );

  it('uses the Secret when its owner allows the namespace', async () => {
    const allowed = { [ALLOWED_NAMESPACES_ANNOTATION]: 'other, a-host' };
    const files = { token: 'secret-token', caBundle: authority.certificate };
    await environment.secret({ namespace: victim, name: 'host' }, files, allowed);
    const refused = await environment.told(
      'a-host',
      ({ type, reason }) => type === 'HostReachable' && reason === 'HostServerNotGranted',
    );
    expect(refused.message).toContain('must add the key server');
    const server = 'https://host.invalid:6443';
    await environment.secret({ namespace: victim, name: 'host' }, { ...files, server }, allowed);
    // The name is resolved now, and fails because it does not exist.
    const told = await environment.told(
      'a-host',
      ({ type, reason }) => type === 'HostReachable' && reason === 'HostUnreachable',
    );
    expect(told.message).toContain('host.invalid');
  });
});

describe('operator with --cross-namespace-secrets=Any', () => {
  it('rejects only Secrets of other control planes', async () => {
    const any = await startTenants({ crossNamespaceSecrets: 'Any' }, { api: environment.api });
    try {
      await any.namespace('any');
      await any.karmada('any', authorityFrom('karmada-cert'));
      await any.told(
        'any',
        ({ type, reason }) =>
          type === 'CertificatesValid' && reason === 'SecretOfOtherControlPlane',
      );
      await any.namespace('any-ca');
      await any.karmada('any-ca', authorityFrom('ca'));
      await any.told(
        'any-ca',
        ({ type, status }) => type === 'CertificatesValid' && status === 'True',
      );
    } finally {
      await any.stop();
    }
  });
});
