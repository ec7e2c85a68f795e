import { describe, expect, it } from '@jest/globals';
import { badStatus, thrown, type Route } from './download-errors.ts';

const route = (proxy: Route['proxy']): Route => ({ shown: 'https://h/b', proxy });
const withCode = (code: string, message = 'https://u:p@h/b?secret'): Error =>
  Object.assign(new Error(message), { code });

const F = 'spec.crdTarball.httpSource';

describe('download errors', () => {
  it.each<[string, Route['proxy'], unknown, string]>([
    [
      'an unknown host name',
      'none',
      withCode('ENOTFOUND'),
      `${F}.url: https://h/b cannot be downloaded: the host name`,
    ],
    [
      'an unknown host name of the proxy',
      'own',
      withCode('ENOTFOUND'),
      `${F}.proxy.proxyURL: https://h/b cannot be downloaded through the proxy: the host name`,
    ],
    [
      'a proxy of the operator environment',
      'environment',
      withCode('ECONNREFUSED'),
      'environment variable https_proxy or http_proxy of the operator: https://h/b',
    ],
    [
      'an AggregateError for all addresses',
      'none',
      new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
      'connection refused',
    ],
    [
      'an error with a cause',
      'none',
      Object.assign(new TypeError('x'), { cause: withCode('ECONNRESET') }),
      'the connection was closed unexpectedly',
    ],
    [
      'a self-signed certificate',
      'none',
      withCode('DEPTH_ZERO_SELF_SIGNED_CERT'),
      `${F}.caBundle: `,
    ],
    [
      'an untrusted CA behind a proxy',
      'own',
      withCode('SELF_SIGNED_CERT_IN_CHAIN'),
      `${F}.caBundle: `,
    ],
    ['an expired certificate', 'none', withCode('CERT_HAS_EXPIRED'), 'has expired; renew it'],
    [
      'a certificate for another name',
      'none',
      withCode('ERR_TLS_CERT_ALTNAME_INVALID'),
      `${F}.url: `,
    ],
    ['a response that is not HTTP', 'none', withCode('HPE_INVALID_CONSTANT'), 'is not HTTP'],
    [
      'a proxy that rejects the request',
      'own',
      withCode('UND_ERR_ABORTED', 'Proxy response (403) !== 200 when HTTP Tunneling'),
      `${F}.proxy.proxyURL: https://h/b cannot be downloaded through the proxy: the proxy returns status 403`,
    ],
    ['an unknown error code', 'none', withCode('EWHAT'), 'connection failed (EWHAT)'],
    ['an error without a code', 'none', new Error('https://u:p@h/'), 'connection failed (unknown)'],
    ['a thrown string', 'none', 'https://u:p@h/', 'connection failed (unknown)'],
  ])('name field and cause without secrets when the cause is %s', (_, proxy, error, text) => {
    const { message } = thrown(route(proxy), error);
    expect(message).toContain(text);
    expect(message).not.toMatch(/u:p|secret/);
  });

  it.each([401, 403, 404, 407, 410, 429, 500, 503, 204, 206])(
    'name field and action when the response has status %i',
    (status) => {
      const { message, problem } = badStatus(route('own'), status);
      expect(message).toContain(String(status));
      expect(message).toMatch(/^spec\.crdTarball\.httpSource\.(url|proxy\.proxyURL): .*; /);
      expect(problem).toEqual({ reason: 'CrdArchiveDownloadFailed', message });
    },
  );
});
