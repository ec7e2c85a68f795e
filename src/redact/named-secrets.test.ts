import { describe, expect, it } from '@jest/globals';
import { mayHoldSecret } from './named-secrets.ts';

describe('mayHoldSecret', () => {
  it.each([
    'the password hunter is wrong',
    'hunter is a wrong password',
    'wrong password "hunter"',
    'password: (redacted) horse battery',
    'token <hunter>',
    'secret/hunter',
    'secret=hunter2',
    'clientSecret hunter',
    '--etcd-password, hunter',
    '{"password":(redacted),"b":"x"}}',
    'DB_PASS hunter',
    'dbPass hunter',
    '--sig, hunter',
    'X-Auth: (redacted) hunter',
    'pass: (redacted) hunter',
    '"pass":(redacted) hunter',
    'the pw hunter is wrong',
    'credentials user/hunter rejected',
  ])('is true for %s', (text) => {
    expect(mayHoldSecret(text)).toBe(true);
  });

  it.each([
    'unknown flag: --no-such',
    'open /var/lib/etcd/.touch: permission denied',
    '--service-account-signing-key-file and --service-account-issuer are required flags',
    'the token is invalid',
    'failed to load token auth file',
    'secrets "karmada-demo-webhook-cert" not found',
    'password=(redacted)',
    'Authorization: Bearer (redacted)',
    'the webhook did not pass its check of node-1',
    'x509: cannot verify signature: insecure algorithm SHA1-RSA',
    'no basic auth for node-1, bypass=node-1, author node-1',
    'etcd at node-1 x2: a member of 3',
  ])('is false for %s', (text) => {
    expect(mayHoldSecret(text)).toBe(false);
  });
});
