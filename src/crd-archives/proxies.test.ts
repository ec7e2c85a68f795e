import { describe, expect, it } from '@jest/globals';
import { proxiesFrom, proxyFor } from './proxies.ts';

describe('proxy environment variables', () => {
  it('are read in lower case first, then in upper case', () => {
    expect(proxiesFrom({ http_proxy: 'a', HTTP_PROXY: 'b', HTTPS_PROXY: 'c' })).toEqual({
      http: 'a',
      https: 'c',
      none: '',
    });
  });

  it.each([
    ['http://h/', '', 'http://p1'],
    ['https://h/', '', 'http://p2:3128'],
    ['http://localhost/', '', undefined],
    ['http://127.1.2.3/', '', undefined],
    ['http://[::1]/', '', undefined],
    ['http://h/', '*', undefined],
    ['http://h.example/', 'example', undefined],
    ['http://h.example/', '.example', undefined],
    ['http://h.example/', '*.example', undefined],
    ['http://example/', '.example', 'http://p1'],
    ['http://hexample/', 'example', 'http://p1'],
    ['http://H.Example./', 'a, EXAMPLE', undefined],
    ['http://h.example:81/', 'example:80', 'http://p1'],
    ['http://h.example/', 'example:80', undefined],
    ['http://10.1.2.3/', '10.0.0.0/8', undefined],
    ['http://11.1.2.3/', '10.0.0.0/8', 'http://p1'],
    ['http://10.1.2.3/', '10.0.0.0/99', 'http://p1'],
    ['http://[fd00::1]/', 'fd00::/16', undefined],
    ['http://[fd00::1]:8080/', '[fd00::1]:8080', undefined],
    ['http://h/', '10.0.0.0/8', 'http://p1'],
  ])('for %s with no_proxy %j select proxy %s', (url, none, proxy) => {
    expect(proxyFor(new URL(url), { http: 'p1', https: 'http://p2:3128', none })).toBe(proxy);
  });

  it('select no proxy when the variable of the scheme is empty', () => {
    expect(proxyFor(new URL('http://h'), { http: '', https: 'p', none: '' })).toBeUndefined();
  });
});
