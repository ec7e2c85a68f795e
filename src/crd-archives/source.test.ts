import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CrdTarball } from '../api/karmada.ts';
import { defaultSpec } from '../api/defaults/defaults.ts';
import { archiveSource, fieldOf, identityOf, redacted, spoken } from './source.ts';

const sourceOf = (crdTarball?: CrdTarball, imageTag = 'v1.17.1') =>
  archiveSource(
    'team',
    defaultSpec(
      { components: { karmadaControllerManager: { imageTag } }, ...(crdTarball && { crdTarball }) },
      { defaultStorageClass: false },
    ),
  );

describe('archiveSource', () => {
  it('returns the archive of the release when crdTarball is not set', () => {
    expect(sourceOf()).toEqual({
      kind: 'release',
      url: 'https://github.com/karmada-io/karmada/releases/download/v1.17.1/crds.tar.gz',
      release: 'v1.17.1',
    });
    expect(sourceOf(undefined, 'latest')).toBeUndefined();
  });

  it('returns the trimmed URL with proxy, CA, checksum and policy of httpSource', () => {
    expect(
      sourceOf({
        httpSource: {
          url: ' https://a/b ',
          proxy: { proxyURL: 'http://p' },
          caBundle: Buffer.from('PEM').toString('base64'),
          sha256: 'AB',
        },
        crdDownloadPolicy: 'Always',
      }),
    ).toEqual({
      kind: 'http',
      url: 'https://a/b',
      proxyUrl: 'http://p',
      ca: 'PEM',
      sha256: 'ab',
      always: true,
      release: 'v1.17.1',
    });
  });

  it('returns a key of a ConfigMap or Secret in the namespace of the Karmada', () => {
    const object = { kind: 'object', namespace: 'team', release: 'v1.17.1' };
    expect(sourceOf({ configMapRef: { name: 'a' } })).toEqual({
      ...object,
      object: 'ConfigMap',
      name: 'a',
      key: 'crds.tar.gz',
    });
    const secret = sourceOf({ secretRef: { name: 'a', key: 'b' } });
    expect(secret).toEqual({ ...object, object: 'Secret', name: 'a', key: 'b' });
    expect(secret && spoken(secret)).toBe('Secret team/a, key b');
    expect(secret?.kind === 'object' && fieldOf(secret)).toBe('spec.crdTarball.secretRef');
  });

  it('gives sources with another URL, proxy, CA, checksum or release different identities', () => {
    const http = { url: 'https://a/b' };
    const sources = [
      { httpSource: http },
      { httpSource: { ...http, url: 'https://a/c' } },
      { httpSource: { ...http, proxy: { proxyURL: 'http://p' } } },
      { httpSource: { ...http, caBundle: 'YQ==' } },
      { httpSource: { ...http, sha256: 'ab' } },
      { configMapRef: { name: 'a' } },
      { secretRef: { name: 'a' } },
    ].map((tarball) => sourceOf(tarball));
    const releases = [sourceOf({ httpSource: http }, 'v1.16.0')];
    const identities = [...sources, ...releases].map((source) =>
      source && source.kind !== 'release' ? identityOf(source) : '',
    );
    expect(new Set(identities).size).toBe(8);
  });
});

describe('redacted', () => {
  it.each([
    ['https://a.example/crds.tar.gz', 'https://a.example/crds.tar.gz'],
    ['https://u:p@a.example:8443/b', 'https://a.example:8443/b'],
    ['https://a/b?token=secret#x', 'https://a/b?…'],
    ['https://a/b\nc', 'https://a/bc'],
    ['https://a/b c', 'https://a/b%20c'],
    ['not a URL', '(invalid URL, not shown)'],
  ])('shows %j as %s', (url, text) => {
    expect(redacted(url)).toBe(text);
  });

  it('returns one short line without user, password and query of any URL', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9%&+~-]{8,30}$/);
    fc.assert(
      fc.property(word, word, word, fc.webPath(), (user, password, query, path) => {
        const shown = redacted(`https://${user}:${password}@h.example${path}?a=${query}#${user}`);
        expect(shown.length).toBeLessThan(300);
        expect(shown).not.toMatch(/[\s\p{Cc}]/u);
        for (const secret of [user, password, query])
          if (!path.includes(secret)) expect(shown).not.toContain(secret);
      }),
    );
  });
});
