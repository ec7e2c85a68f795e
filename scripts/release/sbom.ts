/** The software bill of materials of a release (SPDX 2.3, ISO/IEC 5962). */
import type { Part } from './parts.ts';

export interface SbomSubject {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Time of the commit in RFC 3339. */
  readonly created: string;
  /** Digest of the commit, which makes the name of the document unique. */
  readonly commit: string;
}

const identifier = (part: Part): string =>
  `SPDXRef-${part.purl.replace(/^pkg:/, '').replaceAll(/[^A-Za-z0-9.-]+/g, '-')}`;

function partPackage(part: Part): object {
  const license = part.license ?? 'NOASSERTION';
  return {
    SPDXID: identifier(part),
    name: part.name,
    versionInfo: part.version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: license,
    copyrightText: 'NOASSERTION',
    checksums:
      part.checksum === undefined
        ? []
        : [{ algorithm: part.checksum.algorithm, checksumValue: part.checksum.value }],
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: part.purl,
      },
    ],
  };
}

/**
 * Returns the SPDX document of a release.
 * @param parts all parts, each once
 */
export function sbom(subject: SbomSubject, parts: readonly Part[]): object {
  const own = 'SPDXRef-release';
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${subject.name}-${subject.version}`,
    documentNamespace: `urn:${subject.name}:sbom:${subject.version}:${subject.commit}`,
    creationInfo: { created: subject.created, creators: ['Tool: npm run release'] },
    packages: [
      {
        SPDXID: own,
        name: subject.name,
        versionInfo: subject.version,
        downloadLocation: 'NOASSERTION',
        filesAnalyzed: false,
        licenseConcluded: subject.license,
        licenseDeclared: subject.license,
        copyrightText: 'NOASSERTION',
      },
      ...parts.map(partPackage),
    ],
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: own,
      },
      ...parts.map((part) => ({
        spdxElementId: own,
        relationshipType: 'CONTAINS',
        relatedSpdxElement: identifier(part),
      })),
    ],
  };
}
