import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { downloadsOf, krewManifest } from './krew-manifest.ts';

const SOURCE = 'https://github.com/team/karmada-operator-ts';

describe('downloadsOf', () => {
  const facts = { source: SOURCE, version: '1.2.3' };

  it.each([
    [undefined, facts, `${SOURCE}/releases/download/v1.2.3`],
    ['https://example.com/files', facts, 'https://example.com/files'],
    ['https://example.com/files', { ...facts, source: undefined }, 'https://example.com/files'],
    [undefined, { ...facts, source: undefined }, undefined],
    [undefined, { ...facts, source: 'git@example.com:team/a' }, undefined],
  ])('of %s and %j is %s', (url, of, expected) => {
    expect(downloadsOf(url, of)).toBe(expected);
  });

  it.each(['http://example.com/a', 'https://example.com/a/', 'example.com', 'https://a/b c', ''])(
    'rejects %j',
    (url) => {
      expect(() => downloadsOf(url, facts)).toThrow('--download-url');
    },
  );
});

describe('krewManifest', () => {
  const published = { downloads: 'https://example.com/v1', source: SOURCE };
  const digest = 'a'.repeat(64);

  it('has one platform for each archive, with its address and digest', () => {
    const manifest = load(krewManifest('1.2.3', { amd64: digest }, published));
    expect(manifest).toMatchObject({
      metadata: { name: 'karmada-operator' },
      spec: {
        version: 'v1.2.3',
        homepage: SOURCE,
        platforms: [
          {
            selector: { matchLabels: { os: 'linux', arch: 'amd64' } },
            uri: 'https://example.com/v1/kubectl-karmada_operator-1.2.3-linux-amd64.tar.gz',
            sha256: digest,
            bin: 'kubectl-karmada_operator',
          },
        ],
      },
    });
  });

  it('has no homepage if the source is unknown', () => {
    const text = krewManifest('1.2.3', { amd64: digest }, { ...published, source: undefined });
    expect(text).not.toContain('homepage');
  });
});
