import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { HttpSource } from '../../../src/api/karmada.ts';
import {
  RELEASE,
  gzippedTar,
  releaseArchive,
  toTarEntry,
} from '../../../src/controlplane/__fixtures__/tar.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { newPair, type Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import {
  crdNames,
  problemText,
  sha256,
  startBench,
  type Bench,
} from '../../harness/crd-archives.ts';
import {
  redirect,
  serve,
  startProxy,
  startServer,
  type TestProxy,
  type TestServer,
} from './server.ts';

// Tests wait for responses by event, and the machine may be slow.

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536, 'x');
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('CRD archives over HTTP', () => {
  let ca: Pair;
  let pair: Pair;
  let archive: Buffer;
  let http: TestServer;
  let https: TestServer;
  let proxy: TestProxy;
  let bench: Bench;

  const tarball = (more: HttpSource = {}): { httpSource: HttpSource } => ({
    httpSource: { url: `${http.url}/crds.tar.gz`, ...more },
  });
  const secure = (more: HttpSource = {}): { httpSource: HttpSource } => ({
    httpSource: { url: `${https.url}/crds.tar.gz`, ...more },
  });

  beforeAll(async () => {
    ca = await newPair({ commonName: 'archive CA' });
    pair = await newPair({ commonName: 'a', hosts: ['127.0.0.1'] }, ca);
    archive = await releaseArchive();
  });

  beforeEach(async () => {
    http = await startServer();
    https = await startServer(pair);
    proxy = await startProxy();
    bench = await startBench();
  });

  afterEach(async () => {
    await bench.stop();
    await Promise.all([http.stop(), https.stop(), proxy.stop()]);
  });

  it('downloads in the background, returns all CRDs, and stores the archive when the download succeeds', async () => {
    http.answer(serve(archive));
    const change = bench.changed();
    expect(await bench.look(tarball())).toEqual({
      pending: `fetching the Karmada CRDs from ${http.url}/crds.tar.gz (spec.crdTarball.httpSource.url)`,
    });
    await change;
    const snapshot = await bench.look(tarball());
    expect(crdNames(snapshot)).toHaveLength(19);
    const [file = '', ...more] = await bench.left();
    expect(more).toEqual([]);
    expect(await readFile(file)).toEqual(archive);
    expect(http.requests.map(({ headers }) => headers['user-agent'])).toEqual([
      'karmada-operator/test',
    ]);
    // The same object again: nothing is rendered again.
    expect(await bench.look(tarball(), { generation: 2 })).toEqual(snapshot);
    expect(http.requests).toHaveLength(1);
  });

  it('downloads once when several Karmadas request the same source at the same time', async () => {
    let finish = (): void => undefined;
    http.answer((_request, response) => {
      finish = () => void response.end(archive);
    });
    const names = ['one', 'two', 'three'];
    const changes = names.map((name) => bench.changed(name));
    for (const name of names)
      expect(await bench.look(tarball(), { name })).toHaveProperty('pending');
    await poll('a request', () => Promise.resolve(http.requests[0]));
    finish();
    await Promise.all(changes);
    for (const name of names)
      expect(crdNames(await bench.look(tarball(), { name }))).toHaveLength(19);
    expect(http.requests).toHaveLength(1);
  });

  it('reuses and verifies the stored archive when the policy is IfNotPresent and the operator restarts', async () => {
    http.answer(serve(archive));
    await bench.settled(tarball());
    const second = await startBench({ writable: bench.writable });
    expect(crdNames(await second.settled(tarball()))).toHaveLength(19);
    expect(http.requests).toHaveLength(1);
    await second.stop();
    // A stored file that has changed fails verification and is replaced.
    const [file = ''] = await bench.left();
    await writeFile(file, archive.subarray(0, 1000));
    await writeFile(`${file}.1.partial`, 'half');
    const third = await startBench({ writable: bench.writable });
    expect(crdNames(await third.settled(tarball()))).toHaveLength(19);
    expect(http.requests).toHaveLength(2);
    expect(await bench.left()).toEqual([file]);
    expect(await readFile(file)).toEqual(archive);
    await third.stop();
  });

  it('downloads once per generation when the policy is Always', async () => {
    http.answer(serve(archive));
    const always = { ...tarball(), crdDownloadPolicy: 'Always' } as const;
    await bench.settled(always);
    for (let pass = 0; pass < 5; pass += 1) await bench.look(always);
    expect(http.requests).toHaveLength(1);
    const change = bench.changed();
    // The current archive is used until the next one is available.
    expect(crdNames(await bench.look(always, { generation: 2 }))).toHaveLength(19);
    await change;
    expect(crdNames(await bench.look(always, { generation: 2 }))).toHaveLength(19);
    expect(http.requests).toHaveLength(2);
    // The download fails: the stored archive is used, and the problem is reported.
    http.answer((_request, response) => void response.writeHead(503).end());
    const failure = bench.changed();
    await bench.look(always, { generation: 3 });
    await failure;
    const stale = await bench.look(always, { generation: 3 });
    expect(crdNames(stale)).toHaveLength(19);
    expect(problemText(stale)).toMatch(
      /status 503.*; the operator uses the previously fetched archive$/,
    );
    // The same after a restart.
    const second = await startBench({ writable: bench.writable });
    const restarted = await second.settled(always, { generation: 3 });
    expect(crdNames(restarted)).toHaveLength(19);
    expect(problemText(restarted)).toContain('status 503');
    await second.stop();
  });

  it('uses a preloaded archive without network, and reports an invalid one together with a failed download', async () => {
    await bench.layReady('http://local', archive);
    expect(crdNames(await bench.settled({ httpSource: { url: 'http://local' } }))).toHaveLength(19);
    await bench.layReady(`${http.url}/crds.tar.gz`, Buffer.from('<html>'));
    const snapshot = await bench.settled(tarball());
    expect(problemText(snapshot)).toMatch(
      /status 404; check the address; the copy in the data directory of the operator is rejected: it is an HTML/,
    );
  });

  it('rejects an archive without opening it when its SHA-256 does not match', async () => {
    http.answer(serve(archive));
    const right = sha256(archive).toUpperCase();
    expect(crdNames(await bench.settled(tarball({ sha256: right })))).toHaveLength(19);
    const wrong = await bench.settled(tarball({ sha256: 'a'.repeat(64) }), { name: 'other' });
    expect(problemText(wrong)).toMatch(
      /^spec\.crdTarball\.httpSource\.sha256: .* is rejected: its SHA-256 is [0-9a-f]{64} and does not match/,
    );
    expect(await bench.left()).toHaveLength(1);
  });

  const url = 'spec\\.crdTarball\\.httpSource\\.url: http://127\\.0\\.0\\.1:\\d+/crds\\.tar\\.gz';
  it.each<[string, () => Promise<void> | void, string]>([
    [
      '404',
      () => undefined,
      `^${url} cannot be downloaded: the server returns status 404; check the address$`,
    ],
    [
      '401',
      () => http.answer((_request, response) => void response.writeHead(401).end()),
      'status 401; the server requires authentication',
    ],
    [
      'a partial response',
      () => http.answer((_request, response) => void response.writeHead(206).end(archive)),
      'status 206',
    ],
    [
      'an HTML page',
      () => http.answer(serve(Buffer.from('<!doctype html>'), { 'content-type': 'text/html' })),
      `^spec\\.crdTarball\\.httpSource\\.url: the archive from http://\\S+ is rejected: it is an HTML or XML page`,
    ],
    ['an empty response', () => http.answer(serve(Buffer.alloc(0))), 'is rejected: it is empty'],
    [
      'a response that is cut off',
      () =>
        http.answer((_request, response) => {
          response.writeHead(200, { 'content-length': String(archive.length) });
          response.write(archive.subarray(0, 1000), () => response.destroy());
        }),
      'cannot be downloaded: the connection was closed unexpectedly',
    ],
    [
      'a truncated archive',
      () => http.answer(serve(archive.subarray(0, 1000))),
      'is rejected: it is not a complete gzip file',
    ],
    [
      'an endless response',
      () =>
        http.answer((_request, response) => {
          // Node.js calls the callback of a write before it notices that the client has closed the connection.
          void pipeline(endless(), response).catch(() => undefined);
        }),
      'it is larger than 4194304 bytes',
    ],
    [
      'a content-length above the limit',
      () => http.answer(serve(Buffer.alloc(0), { 'content-length': '999999999' })),
      'it is larger than 4194304 bytes',
    ],
    [
      'no answer',
      () => http.answer(() => undefined),
      'cannot be downloaded: no response within 1 s; check the address',
    ],
    [
      'a response that stalls',
      () => http.answer((_request, response) => void response.write(archive.subarray(0, 10))),
      'cannot be downloaded: no more data within 1 s',
    ],
    [
      'a response that is too slow',
      () =>
        http.answer((_request, response) => {
          const timer = setInterval(() => response.write('x'), 100);
          response.on('close', () => clearInterval(timer));
        }),
      'cannot be downloaded: the download did not finish within 3 s',
    ],
    [
      'a redirect loop',
      () => http.answer(redirect('/crds.tar.gz')),
      'more than 5 redirects; use the final address of the redirects',
    ],
    [
      'a redirect to a file URL',
      () => http.answer(redirect('file:///a')),
      'neither http nor https',
    ],
    [
      'a response that is not HTTP',
      () => http.answer((request) => void request.socket.end('hello\r\n\r\n')),
      'the response is not HTTP',
    ],
    ['a refused connection', () => http.stop(), 'cannot be downloaded: connection refused'],
    [
      'a Secret in the archive',
      async () =>
        http.answer(serve(await releaseArchive([[{ name: 'crds/bases/a.yaml' }, SECRET]]))),
      'is rejected: crds/bases/a\\.yaml is a "Secret" of "v1", not a CustomResourceDefinition',
    ],
    [
      'a symlink in the archive',
      async () =>
        http.answer(
          serve(await releaseArchive([[{ name: 'crds/a', type: 'symlink', linkname: '/' }]])),
        ),
      'is rejected: "crds/a" is a symlink, not a file',
    ],
    [
      'an archive that lacks CRDs of the release',
      async () => http.answer(serve(await gzippedTar(RELEASE.slice(0, 5).map(toTarEntry)))),
      'is rejected: clusteroverridepolicies\\.policy\\.karmada\\.io, required by Karmada v1\\.18\\.2, is missing',
    ],
  ])(
    'reports field, cause and action for %s, stores nothing, and accepts a valid archive afterwards',
    async (_, prepare, message) => {
      await prepare();
      const bad = await bench.settled(tarball());
      expect(problemText(bad)).toMatch(new RegExp(message));
      expect(problemText(bad)).toMatch(/^spec\.crdTarball\.httpSource\.[^\n]+; [^\n]+$/);
      expect(crdNames(bad)).toEqual([]);
      expect(await bench.left()).toEqual([]);
      // A corrected spec is sufficient.
      const good = await startServer();
      good.answer(serve(archive));
      const mended = await bench.settled(
        { httpSource: { url: `${good.url}/crds.tar.gz` } },
        { generation: 2 },
      );
      expect(crdNames(mended)).toHaveLength(19);
      expect(problemText(mended)).toBe('');
      await good.stop();
    },
  );

  it('retries and returns the archive when the server serves a valid one', async () => {
    http.answer(serve(Buffer.from('<html>')));
    const bad = await bench.settled(tarball());
    expect(problemText(bad)).toContain('HTML');
    http.answer(serve(archive));
    for (;;) {
      const change = bench.changed();
      const snapshot = await bench.look(tarball());
      if ('archive' in snapshot) break;
      await change;
    }
    expect(http.requests).toHaveLength(2);
  });

  it('cancels the download and removes its file when the Karmada is deleted', async () => {
    let closed = (): void => undefined;
    const cut = new Promise<void>((resolve) => (closed = resolve));
    http.answer((_request, response) => {
      response.on('close', closed);
      response.write(archive.subarray(0, 100));
    });
    await bench.look(tarball());
    await poll('a request', () => Promise.resolve(http.requests[0]));
    bench.archives.forget('team/demo');
    await cut;
    await poll('no file is left', async (seen) => {
      const left = await bench.left();
      seen(left.join());
      return left.length === 0 ? true : undefined;
    });
  });

  it('trusts only the given CA when caBundle is set', async () => {
    https.answer(serve(archive));
    const untrusted = await bench.settled(secure());
    expect(problemText(untrusted)).toMatch(
      /^spec\.crdTarball\.httpSource\.caBundle: https:\S+ cannot be downloaded: the server certificate is signed by .*; set it to the base64-encoded PEM/,
    );
    expect(https.requests).toEqual([]);
    const caBundle = base64(ca.cert);
    expect(crdNames(await bench.settled(secure({ caBundle }), { generation: 2 }))).toHaveLength(19);
    const other = base64((await newPair({ commonName: 'archive CA' })).cert);
    const foreign = await bench.settled(secure({ caBundle: other }), { generation: 3 });
    expect(problemText(foreign)).toContain('httpSource.caBundle: ');
    expect(await bench.left()).toHaveLength(1);
  });

  it('follows redirects to https, and rejects redirects from https to http', async () => {
    https.answer(serve(archive));
    http.answer(redirect(`${https.url}/other`, 307));
    const caBundle = base64(ca.cert);
    expect(crdNames(await bench.settled(tarball({ caBundle })))).toHaveLength(19);
    http.answer(serve(archive));
    https.answer(redirect(`${http.url}/crds.tar.gz`));
    const down = await bench.settled(secure({ caBundle }), { generation: 2 });
    expect(problemText(down)).toContain('redirect from https to http');
  });

  it('sends the password of a URL only to the server of that URL, and never reports it', async () => {
    const other = await startServer();
    other.answer(serve(archive));
    http.answer((request, response) =>
      request.url === '/a?token=hidden2'
        ? redirect('/b')(request, response)
        : redirect(`${other.url}/c`)(request, response),
    );
    const withUser = http.url.replace('//', '//user:hid%3Aden1@');
    const source = { httpSource: { url: `${withUser}/a?token=hidden2` } };
    expect(crdNames(await bench.settled(source))).toHaveLength(19);
    const basic = `Basic ${base64('user:hid:den1')}`;
    expect(http.requests.map(({ headers }) => headers.authorization)).toEqual([basic, basic]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    await other.stop();
    http.answer((_request, response) => void response.writeHead(403).end());
    const failed = await bench.settled({
      httpSource: { url: `${withUser}/other?token=hidden2` },
    });
    expect(problemText(failed)).toContain(`${http.url}/other?… cannot be downloaded`);
    expect(`${JSON.stringify(failed)}${bench.log.lines.join('\n')}`).not.toMatch(/hid.*den|user:/);
  });

  it('uses the configured proxy with its password for http and https', async () => {
    http.answer(serve(archive));
    https.answer(serve(archive));
    const own = { proxy: { proxyURL: proxy.url.replace('//', '//me:hidden@') } };
    expect(crdNames(await bench.settled(tarball(own)))).toHaveLength(19);
    const caBundle = base64(ca.cert);
    const tunnelled = await bench.settled(secure({ ...own, caBundle }), { generation: 2 });
    expect(crdNames(tunnelled)).toHaveLength(19);
    const basic = `Basic ${base64('me:hidden')}`;
    expect(proxy.seen).toEqual([
      `GET ${http.url}/crds.tar.gz ${basic}`,
      `CONNECT ${https.url.replace('https://', '')} ${basic}`,
    ]);
    // A download through the proxy of one Karmada is not shared with a Karmada without that proxy.
    expect(await bench.look(tarball(), { name: 'other' })).toHaveProperty('pending');
  });

  it.each([407, 403])(
    'names the proxy field when the proxy responds with status %i',
    async (status) => {
      proxy.refuse(status);
      const own = { proxy: { proxyURL: proxy.url } };
      const tunnelled = await bench.settled(secure(own));
      expect(problemText(tunnelled)).toMatch(
        new RegExp(
          `^spec\\.crdTarball\\.httpSource\\.proxy\\.proxyURL: .*the proxy returns status ${status}`,
        ),
      );
    },
  );

  it('names the proxy field and does not connect directly when the proxy is unreachable', async () => {
    await proxy.stop();
    const snapshot = await bench.settled(tarball({ proxy: { proxyURL: proxy.url } }));
    expect(problemText(snapshot)).toMatch(
      /^spec\.crdTarball\.httpSource\.proxy\.proxyURL: .* through the proxy: connection refused/,
    );
    expect(http.requests).toEqual([]);
  });

  it('reports the directory when it is not writable', async () => {
    const file = join(bench.writable, 'file');
    await writeFile(file, '');
    const stuck = await startBench({ writable: file });
    http.answer(serve(archive));
    expect(problemText(await stuck.settled(tarball()))).toMatch(
      /^directory \S+file: the operator cannot store CRD archives there \(ENOTDIR\); mount a writable volume/,
    );
    await stuck.stop();
  });
});

const SECRET = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n';
