import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';
import { parseHostCredentials } from './parse-credentials.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const authority = await newPair({ commonName: 'host-ca' });
const client = await newPair({ commonName: 'operator' }, authority);
const other = await newPair({ commonName: 'other' }, authority);

const SERVER = 'https://host.example.com:6443';

interface Parts {
  cluster?: object;
  user?: object;
  more?: object;
}

function kubeconfig({ cluster = {}, user = { token: 'secret-token' }, more = {} }: Parts): string {
  const ca = base64(authority.cert);
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'host', user: 'operator' } }],
    clusters: [
      {
        name: 'host',
        cluster: { server: SERVER, 'certificate-authority-data': ca, ...cluster },
      },
    ],
    users: [{ name: 'operator', user }],
    ...more,
  });
}

const problemOf = (data: Record<string, string>, endpoint?: string): string => {
  const found = parseHostCredentials(data, endpoint);
  return 'problem' in found ? found.problem : 'none';
};

const certificate = {
  'client-certificate-data': base64(client.cert),
  'client-key-data': base64(client.key),
};

describe('parseHostCredentials', () => {
  it('accepts a kubeconfig with a token or a client certificate', () => {
    const withToken = kubeconfig({ cluster: { 'tls-server-name': 'kubernetes' } });
    expect(parseHostCredentials({ kubeconfig: withToken }, undefined)).toEqual({
      access: {
        server: SERVER,
        caData: authority.cert,
        token: 'secret-token',
        tlsServerName: 'kubernetes',
      },
      namesServer: true,
    });
    const withCertificate = kubeconfig({ user: certificate });
    expect(parseHostCredentials({ kubeconfig: withCertificate }, undefined)).toEqual({
      access: {
        server: SERVER,
        caData: authority.cert,
        certData: client.cert,
        keyData: client.key,
      },
      namesServer: true,
    });
  });

  it('accepts a token and a CA bundle when the spec sets the API endpoint', () => {
    const data = { token: 'secret-token\n', caBundle: authority.cert };
    expect(parseHostCredentials(data, SERVER)).toEqual({
      access: { server: SERVER, caData: authority.cert, token: 'secret-token' },
      namesServer: false,
    });
    expect(problemOf(data)).toContain('spec.hostCluster.apiEndpoint');
    expect(problemOf(data, 'http://host')).toContain('spec.hostCluster.apiEndpoint');
    expect(problemOf({ ...data, caBundle: 'x' }, SERVER)).toContain('caBundle');
    expect(problemOf({ ...data, token: 'a\nb: c' }, SERVER)).toContain('token');
    expect(problemOf({ token: 'x' }, SERVER)).toContain('neither the key kubeconfig');
  });

  it('knows whether the Secret names the server of its token', () => {
    const data = { token: 'secret-token', caBundle: authority.cert };
    const access = { server: SERVER, caData: authority.cert, token: 'secret-token' };
    const named = { ...data, server: `${SERVER}/\n` };
    expect(parseHostCredentials(named, SERVER)).toEqual({ access, namesServer: true });
    expect(parseHostCredentials({ ...data, server: SERVER }, undefined)).toEqual({
      access,
      namesServer: true,
    });
    const other = { ...data, server: 'https://other.example.com' };
    expect(parseHostCredentials(other, SERVER)).toEqual({ access, namesServer: false });
    expect(problemOf({ ...data, server: 'http://x' })).toContain('server');
    expect(parseHostCredentials({ ...data, server: 'not a URL' }, SERVER)).toMatchObject({
      namesServer: false,
    });
  });

  const aliases = `x: &x [a]\ny: [*x]\n${kubeconfig({})}`;

  it.each<[string, string, string]>([
    ['runs a command', kubeconfig({ user: { exec: { command: 'touch' } } }), 'user.exec'],
    [
      'runs a command in addition to a token',
      kubeconfig({ user: { token: 'x', exec: { command: 'touch' } } }),
      'user.exec',
    ],
    [
      'uses an auth provider',
      kubeconfig({ user: { 'auth-provider': { config: { 'token-file': '/etc/passwd' } } } }),
      'user.auth-provider',
    ],
    ['reads a token file', kubeconfig({ user: { tokenFile: '/run/token' } }), 'user.tokenFile'],
    [
      'reads a certificate file',
      kubeconfig({ user: { ...certificate, 'client-certificate': '/a' } }),
      'user.client-certificate,',
    ],
    [
      'reads a key file',
      kubeconfig({ user: { ...certificate, 'client-key': '/a' } }),
      'client-key,',
    ],
    [
      'reads a CA file',
      kubeconfig({ cluster: { 'certificate-authority': '/etc/ssl/ca.pem' } }),
      'cluster.certificate-authority,',
    ],
    [
      'uses basic authentication',
      kubeconfig({ user: { username: 'a', password: 'b' } }),
      'user.username',
    ],
    ['impersonates another user', kubeconfig({ user: { token: 'x', as: 'admin' } }), 'user.as'],
    ['has no credentials', kubeconfig({ user: {} }), 'user.token'],
    [
      'has the key of another certificate',
      kubeconfig({ user: { ...certificate, 'client-key-data': base64(other.key) } }),
      'client-key-data',
    ],
    ['does not use TLS', kubeconfig({ cluster: { server: 'http://host' } }), 'cluster.server'],
    ['has an invalid server URL', kubeconfig({ cluster: { server: 7 } }), 'cluster.server'],
    [
      'has an invalid proxy URL',
      kubeconfig({ cluster: { 'proxy-url': 'file:///a' } }),
      'proxy-url',
    ],
    ['has no current context', kubeconfig({ more: { 'current-context': '' } }), 'current-context'],
    [
      'has an unknown current context',
      kubeconfig({ more: { 'current-context': 'b' } }),
      'current-context',
    ],
    ['has an unknown user', kubeconfig({ more: { users: [] } }), 'users'],
    ['is too long', `${kubeconfig({})}# ${'x'.repeat(300_000)}`, '256 KiB'],
    ['has too many values', `${kubeconfig({})}x: [${'{},'.repeat(50_000)}]`, '50000 values'],
    [
      'has a long token',
      kubeconfig({ user: { token: 'a'.repeat(33_000) } }),
      'has a token of more than 32 KiB in users["operator"].user.token',
    ],
    [
      'has many certificates',
      kubeconfig({ cluster: { 'certificate-authority-data': base64('-----BEGIN A'.repeat(501)) } }),
      'has more than 500 PEM blocks in clusters["host"].cluster.certificate-authority-data',
    ],
    [
      'has a long proxy address, which URL.canParse accepts',
      kubeconfig({ cluster: { 'proxy-url': `http://A${'('.repeat(92_000)}` } }),
      'proxy-url',
    ],
    ['is not YAML', '{', 'not a YAML mapping'],
    ['is a list', '- a', 'not a YAML mapping'],
    ['contains YAML aliases', aliases, 'not a YAML mapping'],
  ])('reports a problem without any value when the kubeconfig %s', (_, text, named) => {
    const problem = problemOf({ kubeconfig: text });
    expect(problem).toContain(named);
    expect(problem).not.toMatch(/secret-token|passwd|BEGIN/);
  });

  it('returns an https server or a problem for any kubeconfig', () => {
    const value = fc.oneof(fc.string(), fc.jsonValue(), fc.constant(certificate));
    fc.assert(
      fc.property(value, value, value, (cluster, user, context) => {
        const text = dump(
          {
            'current-context': 'here',
            contexts: [{ name: 'here', context }],
            clusters: [{ name: 'host', cluster }],
            users: [{ name: 'operator', user }],
          },
          { skipInvalid: true },
        );
        const found = parseHostCredentials({ kubeconfig: text }, undefined);
        expect('problem' in found || found.access.server.startsWith('https:')).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseHostCredentials({ kubeconfig: text }, undefined)).toHaveProperty('problem');
      }),
    );
  });
});
