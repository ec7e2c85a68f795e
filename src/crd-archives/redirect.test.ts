import { describe, expect, it } from '@jest/globals';
import { MAX_REDIRECTS, nextHop } from './redirect.ts';

describe('nextHop', () => {
  it.each([
    ['http://a/b', '/c', 'http://a/c'],
    ['http://a/b', 'https://c/d', 'https://c/d'],
    ['http://a/b', 'http://c/d', 'http://c/d'],
    ['https://a/b', '//c/d', 'https://c/d'],
    ['https://u:p@a/b', 'c', 'https://u:p@a/c'],
    ['https://u:p@a/b', 'https://a/c', 'https://u:p@a/c'],
    ['https://u:p@a/b', 'https://c/d', 'https://c/d'],
    ['https://u:p@a/b', 'https://a:444/d', 'https://a:444/d'],
  ])('resolves a redirect from %s to %s as %s', (from, location, to) => {
    const hop = nextHop(new URL(from), location, 0);
    expect('url' in hop && hop.url.href).toBe(to);
  });

  it.each([
    ['https://a/b', 'http://a/b', 0, 'from https to http'],
    ['http://a/b', 'file:///etc/passwd', 0, 'neither http nor https'],
    ['http://a/b', 'javascript:x', 0, 'neither http nor https'],
    ['http://a/b', undefined, 0, 'without a valid Location header'],
    ['http://a/b', 'http://', 0, 'without a valid Location header'],
    ['http://a/b', ['/c', '/d'], 0, 'without a valid Location header'],
    ['http://a/b', '/c', MAX_REDIRECTS, 'more than 5 redirects'],
  ])('rejects a redirect from %s to %j after %i redirects', (from, location, followed, text) => {
    const hop = nextHop(new URL(from), location, followed);
    expect('refused' in hop && hop.refused).toContain(text);
  });
});
