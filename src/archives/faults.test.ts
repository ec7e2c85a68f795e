import { describe, expect, it } from '@jest/globals';
import { badStatus, thrown, type Route } from './faults.ts';

const route = (proxy: Route['proxy']): Route => ({ shown: 'https://h/b', proxy });
const withCode = (code: string, message = 'https://u:p@h/b?secret'): Error =>
  Object.assign(new Error(message), { code });

const F = 'spec.crdTarball.httpSource';

describe('what went wrong on the way, by field', () => {
  it.each<[string, Route['proxy'], unknown, string]>([
    [
      'a name',
      'none',
      withCode('ENOTFOUND'),
      `${F}.url: https://h/b cannot be downloaded: the name`,
    ],
    [
      'a name, over a proxy',
      'own',
      withCode('ENOTFOUND'),
      `${F}.proxy.proxyURL: https://h/b cannot be downloaded through the proxy: the name`,
    ],
    [
      'a proxy of the environment',
      'environment',
      withCode('ECONNREFUSED'),
      "the operator's variable https_proxy or http_proxy: https://h/b",
    ],
    [
      'all addresses of a name',
      'none',
      new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
      'the connection is refused',
    ],
    [
      'an error in an error',
      'none',
      Object.assign(new TypeError('x'), { cause: withCode('ECONNRESET') }),
      'the connection was cut',
    ],
    [
      'a self-signed certificate',
      'none',
      withCode('DEPTH_ZERO_SELF_SIGNED_CERT'),
      `${F}.caBundle: `,
    ],
    ['a foreign CA, over a proxy', 'own', withCode('SELF_SIGNED_CERT_IN_CHAIN'), `${F}.caBundle: `],
    ['an old certificate', 'none', withCode('CERT_HAS_EXPIRED'), 'has expired; renew it'],
    ['another name', 'none', withCode('ERR_TLS_CERT_ALTNAME_INVALID'), `${F}.url: `],
    ['something that is not HTTP', 'none', withCode('HPE_INVALID_CONSTANT'), 'is not HTTP'],
    [
      'a proxy that says no',
      'own',
      withCode('UND_ERR_ABORTED', 'Proxy response (403) !== 200 when HTTP Tunneling'),
      `${F}.proxy.proxyURL: https://h/b cannot be downloaded through the proxy: the proxy answers 403`,
    ],
    ['an unknown code', 'none', withCode('EWHAT'), 'the connection fails (EWHAT)'],
    [
      'an error without a code',
      'none',
      new Error('https://u:p@h/'),
      'the connection fails (unknown)',
    ],
    ['something that is no error', 'none', 'https://u:p@h/', 'the connection fails (unknown)'],
  ])('%s', (_, proxy, error, text) => {
    const { message } = thrown(route(proxy), error);
    expect(message).toContain(text);
    expect(message).not.toMatch(/u:p|secret/);
  });

  it.each([401, 403, 404, 407, 410, 429, 500, 503, 204, 206])('status %i', (status) => {
    const { message, problem } = badStatus(route('own'), status);
    expect(message).toContain(String(status));
    expect(message).toMatch(/^spec\.crdTarball\.httpSource\.(url|proxy\.proxyURL): .*; /);
    expect(problem).toEqual({ reason: 'CrdArchiveDownloadFailed', message });
  });
});
