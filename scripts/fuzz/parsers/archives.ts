/** Readers of CRD archives. */
import { gzipSync } from 'node:zlib';
import { DEFAULT_LIMITS } from '../../../src/controlplane/archive.ts';
import { base, patch } from '../../../src/controlplane/__fixtures__/archive.ts';
import { inPieces, tarOf } from '../../../src/controlplane/__fixtures__/tar.ts';
import { readCrdFile } from '../../../src/controlplane/crd-files.ts';
import { verifyArchive } from '../../../src/crd-archives/verify.ts';
import type { UntrustedParser } from '../parser.ts';
import { YAML_TOKENS } from './kubeconfigs.ts';

const BASE = base('work.karmada.io', 'works');
const PATCH = patch('works.work.karmada.io');

const tar = await tarOf([
  [{ name: 'crds/', type: 'directory' }],
  [{ name: BASE.path }, BASE.text],
  [{ name: PATCH.path }, PATCH.text],
]);

const verify = (archive: Buffer): Promise<unknown> =>
  verifyArchive(inPieces(archive, 65_536), { release: undefined });

export const ARCHIVE_PARSERS: readonly UntrustedParser[] = [
  {
    name: 'CRD archive',
    seeds: [gzipSync(tar)],
    tokens: ['\x1f\x8b\x08\x00', '\x00\x00\x00\x00\x00\x00', '\xff'],
    errors: ['ArchiveError'],
    limit: DEFAULT_LIMITS.compressed,
    parse: verify,
  },
  {
    name: 'tar in a CRD archive',
    seeds: [tar],
    tokens: [
      '\x00'.repeat(512),
      '../',
      '/',
      '././@PaxHeader',
      '16 path=crds/x\n',
      'ustar',
      '0000644',
      'crds/bases/a.yaml',
    ],
    errors: ['ArchiveError'],
    limit: DEFAULT_LIMITS.unpacked,
    parse: (input) => verify(gzipSync(input, { level: 1 })),
  },
  {
    name: 'file of a CRD archive',
    seeds: [Buffer.from(BASE.text), Buffer.from(PATCH.text)],
    tokens: [
      ...YAML_TOKENS,
      'spec:\n',
      'versions:\n',
      'conversion:\n',
      'properties: {a: {type: object}}',
    ],
    errors: [],
    limit: DEFAULT_LIMITS.file,
    parse: (input: Buffer): unknown => {
      const text = input.toString('utf8');
      return [readCrdFile({ path: BASE.path, text }), readCrdFile({ path: PATCH.path, text })];
    },
  },
];
