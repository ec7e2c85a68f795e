import { describe, expect, it } from '@jest/globals';
import type { RedactText } from '../redact/redact-text.ts';
import { Redactions } from './redactions.ts';
import { pathsIn, type Setting } from './vocabulary.ts';

const redacted = (settings: readonly Setting[], text: string): string | undefined =>
  new Redactions().of([['etcd', settings]])('etcd')?.(text);

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
  const of = (redactions: Redactions, value: string, component = 'etcd'): RedactText | undefined =>
    redactions.of([[component, settings(value)]])(component);

  it('derives the redaction of a component once, until its settings change', () => {
    const redactions = new Redactions();
    const first = of(redactions, 'hunter22');
    expect(first?.('hunter22')).toBe('(redacted)');
    expect(of(redactions, 'hunter22')).toBe(first);
    expect(of(redactions, 'horse-33')?.('hunter22 horse-33')).toBe('hunter22 (redacted)');
  });

  it('derives it again for another name of the same value', () => {
    const redactions = new Redactions();
    redactions.of([['etcd', [{ name: 'A', value: '48213377' }]]])('etcd');
    const renamed = redactions.of([['etcd', [{ name: 'PIN', value: '48213377' }]]]);
    expect(renamed('etcd')?.('48213377')).toBe('(redacted)');
  });

  it('has none for a component without known settings', () => {
    expect(new Redactions().of([])('etcd')).toBeUndefined();
  });

  it('reads settings once, and only for a redaction', () => {
    let reads = 0;
    const redactionOf = new Redactions().of(
      (function* () {
        reads += 1;
        yield ['etcd', settings('hunter22')] as const;
      })(),
    );
    expect(reads).toBe(0);
    expect(redactionOf('etcd')).toBe(redactionOf('etcd'));
    expect(reads).toBe(1);
  });

  const NAMES = Array.from({ length: 10 }, (_, index) => `c${index}`);

  it('derives nothing again when the settings of all components together exceed the limit', () => {
    const redactions = new Redactions();
    const all = NAMES.map((name) => [name, settings(`${name}-`.repeat(10_000))] as const);
    const found = [0, 1, 2].map(() => NAMES.map(redactions.of(all)));
    expect(found[0]?.map((redact) => redact !== undefined)).toEqual([
      true,
      ...Array.from({ length: 9 }, () => false),
    ]);
    for (const [index, redact] of (found[0] ?? []).entries())
      expect(found.slice(1).map((round) => round[index] === redact)).toEqual([true, true]);
  });

  it('has room for a component after one that exceeds the limit', () => {
    const redactionOf = new Redactions().of([
      ['a', settings('a'.repeat(20_000))],
      ['b', settings('b'.repeat(20_000))],
      ['c', settings('hunter22')],
    ]);
    expect(redactionOf('c')?.('hunter22')).toBe('(redacted)');
    expect(redactionOf('b')).toBeUndefined();
    expect(redactionOf('a')?.('aaaa')).toBe('aaaa');
  });

  it('depends on the present settings only, whichever component was asked first', () => {
    const redactions = new Redactions();
    const large = 'a'.repeat(30_000);
    const before = [['a', settings(large)] as const, ['b', settings(large)] as const];
    expect(redactions.of(before)('b')).toBeUndefined();
    expect(redactions.of(before)('a')).toBeDefined();
    const after = [['a', settings('hunter22')] as const, ['b', settings(large)] as const];
    expect(redactions.of(after)('b')).toBeDefined();
  });

  it.each<readonly [string, number, Setting]>([
    ['an empty one', 32_768, { name: '', value: '' }],
    ['a name', 4_096, { name: 'a-name-8', value: '' }],
    ['a short value', 8_192, { name: 'A', value: 'abc' }],
    ['a value', 2_048, { name: 'A-name-8', value: 'hunter22' }],
  ])('counts at least one character of each setting: %s', (_, most, setting) => {
    const isWithin = (length: number): boolean =>
      new Redactions().of([['a', Array.from({ length }, () => setting)]])('a') !== undefined;
    expect([isWithin(most), isWithin(most + 1)]).toEqual([true, false]);
  });

  it('reads no further than the limit', () => {
    let reads = 0;
    const endless = function* (): Generator<Setting> {
      for (;;) {
        reads += 1;
        yield { name: '', value: '', isText: true };
      }
    };
    const redactions = new Redactions();
    const redactionOf = redactions.of([
      ['a', endless()],
      ['b', settings('hunter22')],
    ]);
    expect(redactionOf('a')).toBeUndefined();
    expect(redactionOf('b')).toBeDefined();
    expect(reads).toBe(32_769);
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
