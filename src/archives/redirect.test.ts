import { describe, expect, it } from '@jest/globals';
import { MAX_REDIRECTS, nextHop } from './redirect.ts';

describe('redirects', () => {
  it.each([
    ['http://a/b', '/c', 'http://a/c'],
    ['http://a/b', 'https://c/d', 'https://c/d'],
    ['http://a/b', 'http://c/d', 'http://c/d'],
    ['https://a/b', '//c/d', 'https://c/d'],
    ['https://u:p@a/b', 'c', 'https://u:p@a/c'],
    ['https://u:p@a/b', 'https://a/c', 'https://u:p@a/c'],
    ['https://u:p@a/b', 'https://c/d', 'https://c/d'],
    ['https://u:p@a/b', 'https://a:444/d', 'https://a:444/d'],
  ])('from %s to %s leads to %s', (from, location, to) => {
    const hop = nextHop(new URL(from), location, 0);
    expect('url' in hop && hop.url.href).toBe(to);
  });

  it.each([
    ['https://a/b', 'http://a/b', 0, 'from https to http'],
    ['http://a/b', 'file:///etc/passwd', 0, 'neither http nor https'],
    ['http://a/b', 'javascript:x', 0, 'neither http nor https'],
    ['http://a/b', undefined, 0, 'without saying where to'],
    ['http://a/b', 'http://', 0, 'without saying where to'],
    ['http://a/b', ['/c', '/d'], 0, 'without saying where to'],
    ['http://a/b', '/c', MAX_REDIRECTS, 'more than 5 times'],
  ])('from %s to %j after %i is refused', (from, location, followed, text) => {
    const hop = nextHop(new URL(from), location, followed);
    expect('refused' in hop && hop.refused).toContain(text);
  });
});
