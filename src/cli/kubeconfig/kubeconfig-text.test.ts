import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  kubeconfigOf,
  kubeconfigYaml,
  mergedKubeconfig,
  parseKubeconfig,
  through,
} from './kubeconfig-text.ts';

const ACCESS = {
  cluster: { server: 'https://x.example', 'certificate-authority-data': 'Y2E=' },
  user: { 'client-certificate-data': 'Y2VydA==', 'client-key-data': 'a2V5' },
};

describe('mergedKubeconfig', () => {
  const name = fc.string({ minLength: 1, maxLength: 5 });
  it('adds one entry, keeps all others and the current context, and is idempotent', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name), name, (others, own) => {
        const present = {
          clusters: others.map((one) => ({ name: one, cluster: { server: one } })),
          'current-context': 'mine',
          extensions: [],
        };
        const added = kubeconfigOf(own, ACCESS);
        const merged = mergedKubeconfig(present, added);
        expect(mergedKubeconfig(merged, added)).toEqual(merged);
        expect(merged).toMatchObject({ 'current-context': 'mine', extensions: [] });
        const clusters = merged['clusters'] as { name: string }[];
        expect(clusters.map((entry) => entry.name).sort()).toEqual(
          [...new Set([...others, own])].sort(),
        );
        expect(parseKubeconfig(kubeconfigYaml(merged), 'x')).toEqual(merged);
      }),
    );
  });

  it('sets the current context of an empty kubeconfig', () => {
    const merged = mergedKubeconfig(parseKubeconfig('', 'x'), kubeconfigOf('demo', ACCESS));
    expect(merged).toEqual(kubeconfigOf('demo', ACCESS));
  });
});

it('through changes the address, and verifies the certificate for the given name', () => {
  expect(through(ACCESS, 'https://127.0.0.1:1', 'svc').cluster).toEqual({
    ...ACCESS.cluster,
    server: 'https://127.0.0.1:1',
    'tls-server-name': 'svc',
  });
});

it.each(['{', '[]', '--- {}\n--- {}', 'text'])(
  '%j is not a kubeconfig, and the error has no content',
  (text) => {
    expect(() => parseKubeconfig(`${text}`, 'file')).toThrow(
      /^file: not (a kubeconfig|valid YAML)$/,
    );
  },
);
