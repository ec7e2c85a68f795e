import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  gzippedTar,
  inPieces,
  RELEASE,
  releaseArchive,
  toTarEntry,
} from '../controlplane/__fixtures__/tar.ts';
import { ArchiveError } from '../controlplane/archive.ts';
import { ChecksumError, verifyArchive } from './verify.ts';

describe('verifyArchive', () => {
  it('returns the CRDs and the checksum of a complete archive', async () => {
    const bytes = await releaseArchive();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const verified = await verifyArchive(inPieces(bytes), { sha256, release: 'v1.17.1' });
    expect(verified.sha256).toBe(sha256);
    expect(verified.archive.crds).toHaveLength(19);
    expect(verified.archive.crds.filter(({ conversion }) => conversion)).toHaveLength(2);
  });

  it('throws ChecksumError when the checksum differs', async () => {
    const verifying = verifyArchive(inPieces(await releaseArchive()), {
      sha256: 'a'.repeat(64),
      release: undefined,
    });
    await expect(verifying).rejects.toThrow(ChecksumError);
    await expect(verifying).rejects.toThrow(/^its SHA-256 is [0-9a-f]{64} and does not match/);
  });

  it('reports the first problem and the number of others when there are several', async () => {
    const bytes = await releaseArchive([
      [{ name: 'crds/bases/x/a.yaml' }, 'kind: Secret\napiVersion: v1\n'],
      [{ name: 'crds/bases/x/b.yaml' }, 'kind: Pod\napiVersion: v1\n'],
    ]);
    const verifying = verifyArchive(inPieces(bytes), { release: 'v1.17.1' });
    await expect(verifying).rejects.toThrow(ArchiveError);
    await expect(verifying).rejects.toThrow(
      /^crds\/bases\/x\/a\.yaml is a "Secret" .*\(and 1 more\)$/,
    );
  });

  it('throws when a CRD of the release is missing', async () => {
    const bytes = await gzippedTar(RELEASE.slice(1).map(toTarEntry));
    await expect(verifyArchive(inPieces(bytes), { release: 'v1.17.1' })).rejects.toThrow(
      'workloadrebalancers.apps.karmada.io, required by Karmada v1.17.1, is missing',
    );
  });
});
