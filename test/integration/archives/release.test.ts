import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gzippedTar, releaseArchive } from '../../../src/controlplane/__fixtures__/tar.ts';
import { archiveUrlOf, PUBLISHED_ARCHIVE } from '../../../src/crd-archives/source.ts';
import { crdNames, problemText, startBench, type Bench } from '../../harness/crd-archives.ts';
import { serve, startServer, type TestServer } from './server.ts';

const urlOf = (release: string): string => archiveUrlOf(PUBLISHED_ARCHIVE, release);

describe('CRDs of a release that the operator image does not contain', () => {
  let archive: Buffer;
  let server: TestServer;
  let bench: Bench;

  beforeAll(async () => {
    archive = await releaseArchive();
  });

  beforeEach(async () => {
    server = await startServer();
  });

  afterEach(async () => {
    await bench.stop();
    await server.stop();
  });

  const start = async (archiveUrl = `${server.url}/{release}/crds.tar.gz`): Promise<void> => {
    bench = await startBench({ archiveUrl });
  };

  it('are those of another patch release, with a warning that names both', async () => {
    await start();
    await bench.layReady(urlOf('v1.17.1'), archive);
    const found = await bench.look(undefined, { version: 'v1.17.4' });
    expect(crdNames(found)).toContain('works.work.karmada.io');
    expect(found).toMatchObject({
      warning: {
        reason: 'CrdArchiveOfOtherPatch',
        message:
          'spec.crdTarball: the operator does not contain the CRDs of Karmada v1.17.4 and uses those of v1.17.1; set it if v1.17.4 has other CRDs',
      },
    });
    expect(server.requests).toEqual([]);
  });

  it('are those of the release without a warning when a data directory has them', async () => {
    await start();
    await bench.layReady(urlOf('v1.17.1'), archive);
    await bench.layReady(urlOf('v1.17.4'), archive);
    const found = await bench.look(undefined, { version: 'v1.17.4' });
    expect(found).not.toHaveProperty('warning');
  });

  it('are downloaded from the URL of the flag when the minor version is another one', async () => {
    await start();
    server.answer(serve(archive));
    const found = await bench.settled(undefined, { version: 'v1.99.3' });
    expect(crdNames(found)).toContain('works.work.karmada.io');
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1.99.3/crds.tar.gz']);
  });

  it('are rejected when the downloaded archive has other content', async () => {
    await start();
    server.answer(serve(await gzippedTar([[{ name: 'crds/bases/a.yaml' }, 'a: b']])));
    const found = await bench.settled(undefined, { version: 'v1.99.3' });
    expect(found).toMatchObject({ problem: { reason: 'CrdArchiveRefused' } });
    expect(await bench.left()).toEqual([]);
  });

  it('are reported with all fields to set when the download fails', async () => {
    await start();
    server.answer((_, response) => void response.writeHead(404).end());
    const found = await bench.settled(undefined, { version: 'v1.99.3' });
    const text = problemText(found);
    for (const part of [
      'CRDs of Karmada v1.99.3',
      'spec.crdTarball.httpSource.url',
      'spec.crdTarball.configMapRef',
      '--crd-archive-url',
      '404',
    ])
      expect(text).toContain(part);
  });

  it('are never downloaded when the flag is empty', async () => {
    await start('');
    const found = await bench.look(undefined, { version: 'v1.99.3' });
    expect(found).toMatchObject({ problem: { reason: 'CrdArchiveMissing' } });
  });
});
