import { describe, expect, it } from '@jest/globals';
import { isSecretSetting } from './secret-names.ts';

describe('isSecretSetting', () => {
  it.each([
    'DB_PASS',
    'MYSQL_PW',
    'MYSQL_PWD',
    'X-Auth',
    'sig',
    'auth',
    'request-signature',
    'PIN',
    'dbPass',
    'DBPw',
    'APISig',
    'URLSignature',
    'userPw',
    'passHash',
    'PASS2',
    'Auth',
    'X-Auth-Key',
    'PASS_OF_DB',
    'DB_AUTHS',
    'DB_PASSWORD',
    'clientSecret',
    'token',
    'api-key',
    'AWS_ACCESS_KEY_ID',
    'TOKEN_OF_FILE_X',
    'DBPASS',
    'PGPASS',
    'userpass',
    'passcode',
    'DB_PASSCODE',
    'requirepass',
    'masterauth',
    'smtpPass',
    'adminpass2',
    'derbypass',
    'REQUIREPASS_A',
  ])('is true for %s', (name) => {
    expect(isSecretSetting(name, '4821')).toBe(true);
  });

  it.each([
    'bypass',
    'BYPASS',
    'author',
    'authorization-mode',
    'compass',
    'COMPASS',
    'passive',
    'design',
    'enable-bypass',
    'enableBypass',
    'BYPASS_ALL',
    'trespass',
    'ssl-passthrough',
    'OAUTH',
    'public-key',
    'PUBLIC_KEY',
    'sshPublicKey',
    'pub-key',
    'key-prefix',
    'key',
    'monkey',
    'etcd-keyfile',
    'service-account-key-file',
    'userpass-file',
    'keyboard',
    'authority',
    'oauth',
    'PASSAGE',
    'spin',
    'signed',
    'HTTPS_PROXY',
    'v',
    'feature-gates',
    '',
    'token-auth-file',
    'tls-private-key-file',
    'TOKEN_PATH',
    'secretDir',
    'auth-token-ttl',
    'concurrent-serviceaccount-token-syncs',
    'SSH_AUTH_SOCK',
  ])('is false for %s', (name) => {
    expect(isSecretSetting(name, '4821')).toBe(false);
  });

  it.each(['HMAC_KEY', 'encryption-key', 'etcd.key', 'hmacKey', '{"hmac_key"', 'A_KEYS', 'a-key2'])(
    'is true for %s, unless it is the path of a file',
    (name) => {
      expect(isSecretSetting(name, '4821')).toBe(true);
      expect(isSecretSetting(name, 'a/b')).toBe(true);
      expect(isSecretSetting(name, '/etc/a.key')).toBe(false);
      expect(isSecretSetting(name, '/etc/a.key\n/etc/b.key')).toBe(false);
    },
  );
});
