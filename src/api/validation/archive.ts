/** Validates `spec.crdTarball`: exactly one source, with its required fields. */
import { certificateBlocks } from '../../untrusted/pem.ts';
import { readCertificate } from '../../untrusted/x509.ts';
import type { ArchiveKeyReference, CrdTarball, HttpSource } from '../karmada.ts';
import type { FieldError } from './field-error.ts';
import { checkSyntax } from './field-error.ts';
import { dataKey, downloadUrl, objectName, proxyUrl, sha256Sum, type Syntax } from './syntax.ts';

const FIELD = 'spec.crdTarball';
const SOURCES = ['httpSource', 'configMapRef', 'secretRef'] as const;

export function validateArchive(archive: CrdTarball | undefined): readonly FieldError[] {
  if (archive === undefined) return [];
  const named = SOURCES.filter((source) => archive[source] !== undefined);
  if (named.length === 0) {
    const remedy =
      'set httpSource, configMapRef or secretRef, or remove crdTarball to use the archive in the operator image';
    return [{ field: `${FIELD}.httpSource`, message: `Required value: ${remedy}` }];
  }
  const [, second] = named;
  return [
    ...(second
      ? [
          {
            field: `${FIELD}.${second}`,
            message: `Forbidden: ${named.join(' and ')} are mutually exclusive; keep one`,
          },
        ]
      : []),
    ...validateHttp(archive.httpSource),
    ...validateReference('configMapRef', archive.configMapRef),
    ...validateReference('secretRef', archive.secretRef),
  ];
}

function validateHttp(source: HttpSource | undefined): readonly FieldError[] {
  if (source === undefined) return [];
  const { url = '', proxy, sha256, caBundle } = source;
  const field = `${FIELD}.httpSource`;
  return [
    ...checkHidden(`${field}.url`, url, downloadUrl),
    ...(proxy ? checkHidden(`${field}.proxy.proxyURL`, proxy.proxyURL ?? '', proxyUrl) : []),
    ...checkSyntax(`${field}.sha256`, sha256, sha256Sum),
    ...(caBundle && !isBundle(caBundle)
      ? [
          {
            field: `${field}.caBundle`,
            message: 'Invalid value: must be one or more base64-encoded PEM certificates',
          },
        ]
      : []),
  ];
}

/** Validates a string without showing it in the message: a URL may contain a password. */
function checkHidden(field: string, value: string, syntax: Syntax): readonly FieldError[] {
  if (syntax.matches(value)) return [];
  return [{ field, message: `Invalid value: must be ${syntax.expected}` }];
}

function isBundle(caBundle: string): boolean {
  const blocks = certificateBlocks(Buffer.from(caBundle, 'base64').toString('utf8'));
  return blocks.length > 0 && blocks.every((block) => readCertificate(block) !== undefined);
}

function validateReference(
  part: 'configMapRef' | 'secretRef',
  reference: ArchiveKeyReference | undefined,
): readonly FieldError[] {
  if (reference === undefined) return [];
  const field = `${FIELD}.${part}`;
  const { name, key } = reference;
  return [
    ...(name ? [] : [{ field: `${field}.name`, message: 'Required value: set the name' }]),
    ...checkSyntax(`${field}.name`, name, objectName),
    ...checkSyntax(`${field}.key`, key, dataKey),
  ];
}
