import { describe, expect, it } from '@jest/globals';
import { Redactions } from './redactions.ts';
import { pathsIn, type Setting } from './vocabulary.ts';

const redacted = (settings: readonly Setting[], text: string): string | undefined =>
  new Redactions().of('etcd', settings)?.(text);

describe('a redaction', () => {
  it.each<readonly [name: string, value: string, hidden: readonly string[]]>([
    ['DB_PIN', '48213377', ['48213377']],
    ['DB_PASSWORD', '4821', ['4821']],
    ['MYSQL_PW', '3600s', ['3600s']],
    ['token', '/AbC/x9', ['/AbC/x9']],
    ['X-Auth', '/AbC/x9', ['/AbC/x9']],
    ['BASIC_AUTH', 'me:48213377', ['48213377']],
    ['TOKENS', '48213377,59324488', ['48213377', '59324488']],
    ['auth-token', '48213377\n/AbC/x9', ['48213377', '/AbC/x9']],
    ['DSN', 'postgres://me:48213377@h/db', ['48213377']],
    ['DSN', 'postgres://me:/AbC/x9@h/db', ['/AbC/x9']],
    ['DSN', 'postgres://me:hunter@h/db', ['hunter']],
    ['DSN', 'postgres://me:p%40ssword@h/db', ['p@ssword', 'p%40ssword']],
    ['DSN', 'a://u:48213377@h,b://u:59324488@i', ['48213377', '59324488']],
    ['DSN', encodeURIComponent('a://me:48213377@h/db'), ['48213377']],
    ['DSN', 'me:48213377@tcp(h:3306)/db', ['48213377']],
    ['DSN', 'me:hun@ter@tcp(h:3306)/db', ['hun@ter']],
    ['DSN', 'user=me password=48213377 host=h', ['48213377']],
    ['DSN', "user=me password = '4821 3377' host=h", ['4821 3377', '4821', '3377']],
    ['DSN', String.raw`user=me password='it\'s' host=h`, ["it's"]],
    ['DSN', 'Server=h;User Id=me;Pwd=48213377;', ['48213377']],
    ['DSN', 'https://h/x?sig=48213377&b=c', ['48213377']],
    ['DSN', 'https://h/x?a=b&pass=/AbC/x9', ['/AbC/x9']],
    ['DSN', '{"password":"48213377","user":"me"}', ['48213377']],
    ['DSN', '{"password": 48213377}', ['48213377']],
    ['DSN', JSON.stringify('{"password":"4821 3377"}'), ['4821 3377']],
    ['DSN', 'password: /AbC/x9', ['/AbC/x9']],
    ['HEADER', 'Authorization: Bearer 48213377', ['48213377']],
    ['HEADER', 'X-Auth: 48213377', ['48213377']],
    ['OPTS', '-Dx=y --password 48213377 --v 5', ['48213377']],
    ['OPTS', '-Ddb.password=48213377', ['48213377']],
    ['oidc-client-secret', 'a:s3cretword:b', ['s3cretword', 'a:s3cretword:b']],
    ['oidc-client-secret', 'a|s3cretword|b', ['s3cretword']],
    ['oidc-client-secret', 'a/s3cretword/b', ['s3cretword']],
    ['oidc-client-secret', 'a|word:s3c/ret/b', ['word', 'word:s3c/ret/b']],
    ['oidc-client-secret', 'x a|b:s3c/ret|c', ['b:s3c/ret']],
    ['WEBHOOK_TOKEN', 'https://h/x/s3cretword', ['s3cretword']],
    ['DSN', 'a=b;password=a:s3cretword|b', ['s3cretword']],
    ['DBPASS', '48213377', ['48213377']],
    ['requirepass', '48213377', ['48213377']],
    ['HMAC_KEY', '48213377', ['48213377']],
    ['HMAC_KEY', '/a/b:48213377', ['48213377']],
    ['tls-private-key', '/AbC/x9', ['/AbC/x9']],
    ['DSN', 'AccountName=me;AccountKey=48213377', ['48213377']],
    ['OPTS', '--masterauth 48213377 --encryption-key 59324488', ['48213377', '59324488']],
  ])('hides of %s=%j what is secret', (name, value, hidden) => {
    for (const secret of hidden)
      expect(redacted([{ name, value }], `panic: wrong ${secret}!`)).toBe(
        'panic: wrong (redacted)!',
      );
  });

  it.each<readonly [name: string, value: string]>([
    ['token-auth-file', '/etc/karmada/files'],
    ['tls-private-key-file', '/etc/karmada/files'],
    ['audit-log-path', '/etc/karmada/files'],
    ['bypass', '/etc/karmada/files'],
    ['secure-port', '6443'],
    ['cluster-key', '/etc/karmada/files\n/etc/karmada/other'],
    ['OPTS', '--cluster-key=/etc/karmada/files --public-key 6443'],
    ['public-key', '6443'],
    ['key-prefix', '3600'],
    ['etcd-keyfile', '/etc/karmada/files'],
    ['service-account-key-file', '/etc/karmada/files'],
    ['encryption-key', 'true'],
    ['auth-token-ttl', '3600'],
    ['concurrent-serviceaccount-token-syncs', '6443'],
    ['enable-bootstrap-token-auth', 'true'],
    ['DSN', 'image/x:v1.18.2@sha256:abc'],
    ['DSN', 'http://auth:6443'],
    ['DSN', 'postgres://me@h:6443/etc/karmada/files?timeout=3600'],
  ])('hides of %s=%s no plain value', (name, value) => {
    const text = 'open /etc/karmada/files: true, 3600, port 6443, v1.18.2';
    expect(redacted([{ name, value }], text)).toBe(text);
  });

  it('hides only the secrets of a text', () => {
    const settings: readonly Setting[] = [
      { name: '', value: 'sleep forever, password=48213377', isText: true },
      { name: 'pass', value: '59324488', isText: true },
    ];
    expect(redacted(settings, 'sleep forever 48213377 59324488')).toBe(
      'sleep forever (redacted) (redacted)',
    );
  });
});

describe('Redactions', () => {
  const settings = (value: string): readonly Setting[] => [{ name: 'A', value }];

  it('derives the redaction of a component once, until its settings change', () => {
    const redactions = new Redactions();
    const first = redactions.of('etcd', settings('hunter22'));
    expect(redactions.of('etcd', settings('hunter22'))).toBe(first);
    expect(redactions.of('karmada-search', settings('other-22'))?.('hunter22')).toBe('hunter22');
    expect(redactions.of('etcd', settings('hunter22'))).toBe(first);
    expect(redactions.of('etcd', settings('horse-33'))?.('hunter22 horse-33')).toBe(
      'hunter22 (redacted)',
    );
  });

  it('keeps the last ones that have at most 32,768 characters together', () => {
    const redactions = new Redactions();
    const large = (sign: string): readonly Setting[] => settings(sign.repeat(12_000));
    const [first, second] = [redactions.of('a', large('a')), redactions.of('b', large('b'))];
    expect(redactions.of('a', large('a'))).toBe(first);
    redactions.of('c', large('c'));
    expect(redactions.of('b', large('b'))).toBe(second);
    expect(redactions.of('a', large('a'))).not.toBe(first);
  });

  it('derives it again for another name of the same value', () => {
    const redactions = new Redactions();
    redactions.of('etcd', [{ name: 'A', value: '48213377' }]);
    expect(redactions.of('etcd', [{ name: 'PIN', value: '48213377' }])?.('48213377')).toBe(
      '(redacted)',
    );
  });
});

describe('pathsIn', () => {
  it('returns the paths that are no secrets', () => {
    const flags = [
      { name: 'audit-log-path', value: '/var/log/a\n/var/log/b' },
      { name: 'token', value: '/AbC/x9' },
      { name: 'cluster-key', value: '/etc/key' },
      { name: 'v', value: '5' },
    ];
    expect(pathsIn(flags)).toEqual(['/var/log/a', '/var/log/b', '/etc/key']);
  });
});
