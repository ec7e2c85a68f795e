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
    'etcd at node-1 x2: a member of 3',
  ])('is false for %s', (text) => {
    expect(mayHoldSecret(text)).toBe(false);
  });
});
