import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { userInfoIn, withoutUserInfo } from './user-info.ts';

describe('withoutUserInfo', () => {
  it.each([
    ['http://user:p4/s@s@proxy:3128/ failed', 'http://(redacted)@proxy:3128/ failed'],
    ['https://token@host', 'https://(redacted)@host'],
    ['root:ses@me@tcp(db:3306)/x', 'root:(redacted)@tcp(db:3306)/x'],
    ['https%3A%2F%2Fme%3Asesame%40host', 'https%3A%2F%2F(redacted)%40host'],
    ['https%253A%252F%252Fme%253Asesame%2540host', 'https%253A%252F%252F(redacted)%2540host'],
    ['me%3Asesame%40host', 'me%3A(redacted)%40host'],
    [String.raw`https:\/\/u:p@h`, String.raw`https:\/\/(redacted)@h`],
    ['at 15:00:00 user@example.com', 'at 15:00:00 user@example.com'],
    ['docker.io/x:v1@sha256:ab https://h:1/x', 'docker.io/x:v1@sha256:ab https://h:1/x'],
  ])('returns of %s', (text, expected) => {
    expect(withoutUserInfo(text)).toBe(expected);
  });

  it('leaves no password of any length and with any signs in the text', () => {
    const signs = fc.constantFrom('@', ':', '/', '//', '%', 'a', '://', '@a');
    const password = fc
      .tuple(fc.array(signs, { maxLength: 20 }), fc.integer({ min: 0, max: 3_000 }))
      .map(([before, length]) => `${before.join('')}k${'x'.repeat(length)}k`);
    const places = fc.constantFrom(
      (secret: string) => `to https://u:${secret}@host/x failed`,
      (secret: string) => `to u:${secret}@tcp(host:3306)/x failed`,
      (secret: string) => `to ${encodeURIComponent(`https://u:${secret}@host/x`)} failed`,
    );
    fc.assert(
      fc.property(password, places, (secret, place) => {
        expect(withoutUserInfo(place(secret))).not.toMatch(/kx*k/);
      }),
    );
  });
});

describe('userInfoIn', () => {
  it.each([
    ['postgres://u:48213377@h/db', ['48213377', 'u:48213377']],
    ['u:hunter@tcp(h:3306)/db', ['hunter']],
    ['http://a:one@h,http://b:two@i', ['one', 'two']],
    ['https://token@h', ['token']],
    ['mongodb://u:p@ss@h', ['p@ss']],
    [`a://u:12"34'5@h`, [`12"34'5`]],
    ['redis://:48213377@h', ['48213377']],
    ['jdbc:oracle:thin:scott/tiger@//h:1521/x', ['tiger']],
  ])('finds the passwords in %s', (text, expected) => {
    expect(userInfoIn(text)).toEqual(expect.arrayContaining(expected));
  });

  it.each(['registry/x:v1.18.2@sha256:abc', 'admin@example.com', '/a/b:c', ''])(
    'finds nothing in %j',
    (text) => {
      expect(userInfoIn(text)).toEqual([]);
    },
  );
});
