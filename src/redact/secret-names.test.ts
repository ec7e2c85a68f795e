import { describe, expect, it } from '@jest/globals';
import { isSecretSetting } from './secret-names.ts';

describe('isSecretSetting', () => {
  it.each([
    ...['DB_PASS', 'MYSQL_PW', 'MYSQL_PWD', 'X-Auth', 'sig', 'auth', 'request-signature', 'PIN'],
    ...['dbPass', 'userPw', 'passHash', 'PASS2', 'Auth', 'X-Auth-Key', 'PASS_OF_DB', 'DB_AUTHS'],
    ...['DB_PASSWORD', 'clientSecret', 'token', 'api-key', 'AWS_ACCESS_KEY_ID', 'TOKEN_OF_FILE_X'],
  ])('is true for %s', (name) => {
    expect(isSecretSetting(name)).toBe(true);
  });

  it.each([
    ...[
      'bypass',
      'BYPASS',
      'author',
      'authorization-mode',
      'compass',
      'COMPASS',
      'passive',
      'design',
    ],
    ...['oauth', 'PASSAGE', 'spin', 'signed', 'HTTPS_PROXY', 'v', 'feature-gates', ''],
    ...['token-auth-file', 'tls-private-key-file', 'TOKEN_PATH', 'secretDir', 'auth-token-ttl'],
    ...['concurrent-serviceaccount-token-syncs', 'SSH_AUTH_SOCK'],
  ])('is false for %s', (name) => {
    expect(isSecretSetting(name)).toBe(false);
  });
});
