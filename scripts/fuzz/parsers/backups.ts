/** Readers of backups, and of responses of their stores. */
import { decrypted, encrypted } from '../../../src/backup/format/chunks.ts';
import { parseBackupKey } from '../../../src/backup/format/key.ts';
import { decodeManifest, encodeManifest } from '../../../src/backup/format/manifest.ts';
import type { BackupFile, BackupFileName } from '../../../src/backup/format/manifest-type.ts';
import { checkAuthority, checkSameAuthority } from '../../../src/backup/job/objects.ts';
import { jobResultIn } from '../../../src/backup/job/config.ts';
import {
  errorCodeIn,
  listedIn,
  regionIn,
  uploadIdIn,
  uploadsIn,
  versionsIn,
} from '../../../src/backup/stores/s3-xml.ts';
import { sessionIn, tokenErrorIn } from '../../../src/backup/stores/sts-xml.ts';
import { UNTRUSTED } from '../../../src/untrusted/limits.ts';
import type { UntrustedParser } from '../parser.ts';
import { AUTHORITY, CLIENT } from './pairs.ts';

const KEY = parseBackupKey('k1', '07'.repeat(32));
const FILE = 'etcd.snapshot';

const fileOf = (name: BackupFileName): BackupFile => ({
  ...{ name, sizeBytes: 1, sha256: 'a0'.repeat(32) },
  ...{ storedBytes: 2, storedSha256: 'b0'.repeat(32) },
});

const MANIFEST = {
  format: 'karmada-backup/v1',
  backup: { namespace: 'a', name: 'b', uid: 'c' },
  karmada: { namespace: 'a', name: 'd', uid: 'e' },
  createdAt: '2026-11-21T12:00:00Z',
  operatorVersion: '0.1.0',
  etcd: {
    version: '3.6.6',
    clusterID: '1',
    memberID: '2',
    revision: '3',
    hashes: [{ hash: '1', compactRevision: '0' }],
    keys: '4',
  },
  files: [fileOf(FILE), fileOf('objects.json')],
} as const;

async function whole(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of stream) all.push(Buffer.from(piece));
  return Buffer.concat(all);
}

async function* once(input: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  yield input;
}

const objects = Buffer.from(
  JSON.stringify({
    karmada: {},
    secrets: [
      {
        name: 'a-ca-backup',
        data: { 'ca.crt': base64(AUTHORITY.certificate), 'ca.key': base64(AUTHORITY.key) },
      },
      { name: 'a-cert', data: { 'apiserver.crt': base64(CLIENT.certificate) } },
    ],
  }),
);

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Calls each reader, so that the error of one does not hide the others. */
function each(
  input: Buffer,
  readers: readonly ((text: string) => unknown)[],
  errors: readonly string[],
): unknown[] {
  const text = input.toString('utf8');
  return readers.map((read) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof Error && errors.includes(error.name)) return error.message;
      throw error;
    }
  });
}

export const JSON_TOKENS = [
  ...[
    '{',
    '[',
    '{},',
    '[],',
    '}',
    ']',
    ',',
    ':',
    '"',
    '\\"',
    '\\u0000',
    '"a":',
    '{"a":',
    '[[',
    '[{',
  ],
  ...['null', 'true', '1', '-', '1e999', '0.', ' ', '\n', '"__proto__":', '""'],
];

const XML_TOKENS = [
  ...[
    '<',
    '<a',
    '<a>',
    '</a>',
    '<a/>',
    '<a b="',
    ' a="b"',
    '&',
    '&#',
    '&amp;',
    '&#x10ffff;',
    '<!--',
  ],
  ...['<!-- -->', '<![CDATA[', ']]>', '<?', '<?xml version="1.0"?>', '<!DOCTYPE a [', '<!ENTITY '],
  ...[' ', 'a', '\r', '<Contents><Key>k</Key><Size>1</Size></Contents>', '<Error><Code>', '='],
];

const xml = (name: string, content: string): Buffer =>
  Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`,
  );

export const BACKUP_PARSERS: readonly UntrustedParser[] = [
  {
    name: 'manifest of a backup',
    seeds: [
      encodeManifest({ ...MANIFEST, encryption: 'None' }, undefined),
      encodeManifest({ ...MANIFEST, encryption: { keyID: 'k1', salt: 'ab'.repeat(32) } }, KEY),
    ],
    tokens: [...JSON_TOKENS, '"keyID":', '"files":', '"encryption":"None"', '"salt":'],
    errors: ['ManifestError'],
    limit: UNTRUSTED.manifest,
    parse: (input) =>
      each(
        input,
        [() => decodeManifest(input, KEY), () => decodeManifest(input, undefined)],
        ['ManifestError'],
      ),
  },
  {
    name: 'encrypted file of a backup',
    seeds: [
      await whole(
        encrypted(once(Buffer.from('content')), { key: KEY, file: FILE }, Buffer.alloc(32, 1)),
      ),
    ],
    tokens: ['KARMBAK1', '\x00\x10\x00\x00', '\xff\xff\xff\xff'],
    errors: ['DamagedFileError'],
    limit: Infinity,
    parse: (input) => whole(decrypted(once(input), { key: KEY, file: FILE })),
  },
  {
    name: 'objects of a backup',
    seeds: [objects],
    tokens: [...JSON_TOKENS, '"secrets":', '"data":', '"name":'],
    errors: ['DamagedBackupError'],
    limit: UNTRUSTED.backedUpObjects,
    parse: (input) =>
      each(
        input,
        [() => checkAuthority(input), () => checkSameAuthority(input, AUTHORITY.certificate)],
        ['DamagedBackupError'],
      ),
  },
  {
    name: 'result of a container of a backup',
    seeds: [
      Buffer.from('{"error":"x"}'),
      Buffer.from(
        '{"backup":{"sizeBytes":1,"storedBytes":2,"createdAt":"2026-11-21T12:00:00Z","etcd":{"version":"3","clusterID":"a","memberID":"b","revision":"7","keys":"5","hashes":[{"hash":"1","compactRevision":"1"}]}}}',
      ),
    ],
    tokens: JSON_TOKENS,
    errors: [],
    limit: UNTRUSTED.record,
    parse: (input) => jobResultIn(input.toString('utf8')),
  },
  {
    name: 'XML of an S3 server',
    seeds: [
      xml(
        'ListBucketResult',
        '<Contents><Key>a/b</Key><Size>1</Size></Contents><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>',
      ),
      xml('Error', '<Code>AccessDenied</Code><Region>eu-west-1</Region>'),
      xml('ListMultipartUploadsResult', '<Upload><Key>a</Key><UploadId>u</UploadId></Upload>'),
      xml(
        'ListVersionsResult',
        '<Version><Key>a</Key><VersionId>v</VersionId></Version><DeleteMarker><Key>a</Key></DeleteMarker>',
      ),
    ],
    tokens: XML_TOKENS,
    errors: ['StoreError'],
    limit: UNTRUSTED.xml,
    parse: (input) =>
      each(
        input,
        [
          (text) => errorCodeIn(text, true),
          (text) => errorCodeIn(text, false),
          (text) => regionIn(text, undefined),
          uploadIdIn,
          listedIn,
          uploadsIn,
          (text) => versionsIn(text, 'a'),
        ],
        ['StoreError'],
      ),
  },
  {
    name: 'XML of a token service',
    seeds: [
      xml(
        'AssumeRoleWithWebIdentityResponse',
        '<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>a</AccessKeyId><SecretAccessKey>b</SecretAccessKey><SessionToken>c</SessionToken><Expiration>2026-11-21T12:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>',
      ),
      xml('ErrorResponse', '<Error><Code>InvalidIdentityToken</Code></Error>'),
    ],
    tokens: XML_TOKENS,
    errors: ['StoreError'],
    limit: UNTRUSTED.xml,
    parse: (input) => each(input, [sessionIn, tokenErrorIn], ['StoreError']),
  },
];
