import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dump, load } from 'js-yaml';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { adminKubeconfig } from '../../pki/kubeconfig.ts';
import { CommandError } from '../program/environment.ts';
import { adminAccess } from './admin-access.ts';
import { kubeconfigOf, kubeconfigYaml } from './kubeconfig-text.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const authority = await newPair({ commonName: 'ca' });
const client = await newPair({ commonName: 'admin' }, authority);
const other = await newPair({ commonName: 'other' }, authority);

const SERVER = 'https://karmada.example.com:5443';
const CLUSTER = { server: SERVER, 'certificate-authority-data': base64(authority.cert) };
const USER = {
  'client-certificate-data': base64(client.cert),
  'client-key-data': base64(client.key),
};

type Fields = Readonly<Record<string, unknown>>;

interface Parts {
  readonly cluster?: Fields;
  readonly user?: Fields;
  readonly context?: Fields;
  readonly more?: Fields;
}

const kubeconfig = ({ cluster, user, context, more }: Parts): string =>
  dump({
    apiVersion: 'v1',
    kind: 'Config',
    preferences: {},
    'current-context': 'x',
    clusters: [
      { name: 'unused', cluster: { server: 'http://unused', 'proxy-url': 'http://p' } },
      { name: 'c', cluster: { ...CLUSTER, ...cluster } },
    ],
    users: [
      { name: 'unused', user: { exec: { command: 'sh' } } },
      { name: 'u', user: { ...USER, ...user } },
    ],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
    ...more,
  });

const read = (text: string) => adminAccess(text, 'Secret team/demo-admin');

describe('adminAccess', () => {
  it('returns what the operator writes', () => {
    const text = adminKubeconfig(SERVER, [authority.cert], {
      certificate: client.cert,
      key: client.key,
    });
    expect(read(text)).toEqual({ cluster: CLUSTER, user: USER });
    expect(read(kubeconfig({ context: { namespace: 'apps' } }))).toEqual({
      cluster: CLUSTER,
      user: USER,
      namespace: 'apps',
    });
  });

  it.each<[string, Parts]>([
    ['users["u"].user.exec', { user: { exec: { command: 'sh' } } }],
    ['users["u"].user.auth-provider', { user: { 'auth-provider': { name: 'gcp' } } }],
    ['users["u"].user.tokenFile', { user: { tokenFile: '/home/admin/.ssh/id_rsa' } }],
    ['users["u"].user.token', { user: { token: 'abc' } }],
    ['users["u"].user.client-key', { user: { 'client-key': '/key' } }],
    ['users["u"].user.as', { user: { as: 'root' } }],
    ['users["u"].user["a b"]', { user: { 'a b': 1 } }],
    ['users["u"].user.client-key-data', { user: { 'client-key-data': base64(other.key) } }],
    [
      'users["u"].user.client-certificate-data',
      { user: { 'client-certificate-data': base64('text') } },
    ],
    ['clusters["c"].cluster.proxy-url', { cluster: { 'proxy-url': 'http://p' } }],
    [
      'clusters["c"].cluster.insecure-skip-tls-verify',
      { cluster: { 'insecure-skip-tls-verify': true } },
    ],
    ['clusters["c"].cluster.tls-server-name', { cluster: { 'tls-server-name': 'x' } }],
    ['clusters["c"].cluster.certificate-authority', { cluster: { 'certificate-authority': '/x' } }],
    [
      'clusters["c"].cluster.certificate-authority-data',
      { cluster: { 'certificate-authority-data': '' } },
    ],
    ['clusters["c"].cluster.server', { cluster: { server: 'http://karmada.example.com' } }],
    ['clusters["c"].cluster.server', { cluster: { server: 'https://user:pw@example.com' } }],
    ['clusters["c"].cluster.server', { cluster: { server: 'https://example.com\u202e' } }],
    ['contexts["x"].context.extensions', { context: { extensions: [] } }],
    ['contexts["x"].context.namespace', { context: { namespace: 'a\u001b[2J' } }],
    ['current-context', { more: { 'current-context': 'none' } }],
    ['clusters', { more: { clusters: 'text' } }],
    ['users', { more: { users: [] } }],
  ])('refuses %s, and shows no value', (field, parts) => {
    const refused = (): unknown => read(kubeconfig(parts));
    expect(refused).toThrow(CommandError);
    expect(refused).toThrow(field);
    expect(refused).not.toThrow(/id_rsa|abc|pw@|http:/);
  });

  it.each(['{', '[]', 'text', '', `a: ${'x'.repeat(300_000)}`])('refuses other text', (text) => {
    expect(() => read(text)).toThrow(/^Secret team\/demo-admin: the kubeconfig (is|has)/);
  });

  it('never passes on a field that runs a command, reads a file or weakens TLS', () => {
    const value = fc.oneof(fc.string(), fc.boolean(), fc.constant({ command: 'sh' }));
    const names = [
      'exec',
      'auth-provider',
      'tokenFile',
      'token',
      'username',
      'password',
      'as',
      'as-groups',
      'client-certificate',
      'client-key',
      'certificate-authority',
      'extensions',
      'proxy-url',
      'insecure-skip-tls-verify',
      'tls-server-name',
      'disable-compression',
      '__proto__',
    ];
    const fields = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, {
      maxKeys: 3,
    });
    const parts = fc.record({
      cluster: fields,
      user: fields,
      context: fields,
      more: fc.oneof(fc.constant({}), fields),
    });
    let accepted = 0;
    fc.assert(
      fc.property(parts, (given) => {
        let text: string;
        try {
          text = kubeconfigYaml(kubeconfigOf('demo', read(kubeconfig(given))));
        } catch (error) {
          expect(error).toBeInstanceOf(CommandError);
          return;
        }
        accepted += 1;
        expect(load(text)).toEqual({
          apiVersion: 'v1',
          kind: 'Config',
          'current-context': 'demo',
          clusters: [{ name: 'demo', cluster: CLUSTER }],
          users: [{ name: 'demo', user: USER }],
          contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'demo' } }],
        });
      }),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});
