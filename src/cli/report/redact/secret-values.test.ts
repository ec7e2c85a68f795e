import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { secretValues, valuesOfText } from './secret-values.ts';

function secret(data: Readonly<Record<string, string>>, type = 'Opaque'): KubernetesObject {
  const encoded = Object.entries(data).map(
    ([key, value]) => [key, Buffer.from(value).toString('base64')] as const,
  );
  const metadata = { name: 'one', namespace: 'team' };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type, data: Object.fromEntries(encoded) };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const KUBECONFIG = `
apiVersion: v1
kind: Config
clusters: [{ name: demo, cluster: { server: 'https://api.example:6443', proxy-url: 'http://u:pr0xy-pass@proxy' } }]
users:
- name: admin
  user: { token: t0ken-of-admin, password: s3cret-of-admin, client-key-data: ${base64('-----BEGIN KEY-----\nabcdefghijkl\n')} }
`;

describe('secretValues', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, readonly string[]]>([
    ['a password', { password: 'hunter2' }, ['hunter2']],
    ['a value in JSON', { a: 'say "x"\nend' }, [String.raw`say \"x\"\nend`]],
    ['a value in a URL', { a: 'p@ss/word' }, ['p%40ss%2Fword']],
    ['credentials of a kubeconfig', { kubeconfig: KUBECONFIG }, ['t0ken-of-admin', 'pr0xy-pass']],
    ['a key in a kubeconfig', { kubeconfig: KUBECONFIG }, ['abcdefghijkl']],
    [
      'a registry password',
      { '.dockerconfigjson': JSON.stringify({ auths: { r: { auth: base64('me:reg-pass') } } }) },
      ['reg-pass', base64('me:reg-pass')],
    ],
    [
      'a file of tokens',
      { f: 'abcdefghijklmnop-1,me,1\nother-token-12345,you,2' },
      ['abcdefghijklmnop-1', 'other-token-12345'],
    ],
    ['a file of variables', { f: 'A=1\nPASSWORD="pass-of-file"' }, ['pass-of-file']],
  ])('contain %s', (_, data, expected) => {
    expect(secretValues(secret(data))).toEqual(expect.arrayContaining([...expected]));
  });

  it('contain each value within other base64 text', () => {
    const values = secretValues(secret({ password: 'hunter2-hunter2' }));
    for (const before of ['', 'a', 'ab', 'user:'])
      expect(values.some((value) => base64(`${before}hunter2-hunter2!`).includes(value))).toBe(
        true,
      );
  });

  it('contain binary values in base64 and hexadecimal', () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));
    const object = { ...secret({}), data: { key: bytes.toString('base64') } };
    expect(secretValues(object)).toEqual(
      expect.arrayContaining([bytes.toString('base64'), bytes.toString('hex')]),
    );
  });

  it('contain neither certificates nor names', () => {
    const certificate = '-----BEGIN CERTIFICATE-----\nMIIBabcdefgh\n-----END CERTIFICATE-----\n';
    expect(secretValues(secret({ 'ca.crt': certificate }))).toEqual([]);
    const token = secret(
      { namespace: 'team', token: 'x'.repeat(9) },
      'kubernetes.io/service-account-token',
    );
    expect(secretValues(token)).not.toContain('team');
    const values = secretValues(secret({ kubeconfig: KUBECONFIG }));
    for (const name of ['demo', 'admin', 'https://api.example:6443', 'Config'])
      expect(values).not.toContain(name);
  });
});

describe('valuesOfText', () => {
  it('contains only named parts of a configuration that is not a Secret', () => {
    const values = valuesOfText('level: information\npassword: pass-of-config\n', 'named');
    expect(values).toContain('pass-of-config');
    expect(values).not.toContain('information');
  });
});
