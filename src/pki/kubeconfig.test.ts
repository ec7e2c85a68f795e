import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-point.ts';
import { load } from 'js-yaml';
import { adminKubeconfig, componentKubeconfig, readClientPair } from './kubeconfig.ts';

const PAIR = { certificate: 'certificate\n', key: 'key\n' };

describe('kubeconfig', () => {
  it('contains inline credentials and the upstream entry names for the admin', () => {
    const text = adminKubeconfig('https://[2001:db8::5]:5443', ['one\n', 'two\n'], PAIR);
    expect(load(text)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'karmada-apiserver',
          cluster: {
            server: 'https://[2001:db8::5]:5443',
            'certificate-authority-data': Buffer.from('one\ntwo\n').toString('base64'),
          },
        },
      ],
      contexts: [
        {
          name: 'karmada-admin@karmada-apiserver',
          context: { cluster: 'karmada-apiserver', user: 'karmada-admin' },
        },
      ],
      'current-context': 'karmada-admin@karmada-apiserver',
      users: [
        {
          name: 'karmada-admin',
          user: {
            'client-certificate-data': Buffer.from(PAIR.certificate).toString('base64'),
            'client-key-data': Buffer.from(PAIR.key).toString('base64'),
          },
        },
      ],
    });
    expect(readClientPair(text)).toEqual(PAIR);
  });

  it('refers to certificate files for a component', () => {
    expect(load(componentKubeconfig('https://api:5443', 'scheduler'))).toMatchObject({
      clusters: [
        {
          cluster: {
            server: 'https://api:5443',
            'certificate-authority': '/etc/karmada/config/ca.crt',
          },
        },
      ],
      users: [
        {
          user: {
            'client-certificate': '/etc/karmada/config/tls.crt',
            'client-key': '/etc/karmada/config/tls.key',
          },
        },
      ],
    });
  });

  it('contains any server text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (server) => {
        const text = componentKubeconfig(server, 'scheduler');
        expect(load(text)).toMatchObject({ clusters: [{ cluster: { server } }] });
      }),
    );
  });

  it('is parsed to a pair or undefined without an exception for any text', () => {
    const yaml = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('', 'users: [', 'users: 1', 'users: []', 'users: [{user: 3}]', '&a [*a]'),
    );
    fc.assert(
      fc.property(yaml, (text) => {
        expect(readClientPair(text)).toBeUndefined();
      }),
    );
  });

  it('is parsed only up to a number of values', () => {
    const text = adminKubeconfig('https://a:5443', ['one\n'], PAIR);
    expect(readClientPair(`${text}x: [${'a, '.repeat(500)}]\n`)).toEqual(PAIR);
    expect(readClientPair(`${text}x: [${'a, '.repeat(1_000)}]\n`)).toBeUndefined();
  });
});
