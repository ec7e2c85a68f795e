import { describe, expect, it } from '@jest/globals';
import { redactPatterns } from './redact-text.ts';

const JWT = `eyJhbGciOiJSUzI1NiJ9.${'eyJzdWIiOiJ4In0'.repeat(3)}.c2lnbmF0dXJlLXRoYXQ_aXM-bG9uZw`;
const KEY_LINES = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  'MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu',
  'NMoSfm76oqFvAp8Gy0iz5sxj',
];
const PEM = `-----BEGIN PRIVATE KEY-----\n${KEY_LINES.join('\n')}\n-----END PRIVATE KEY-----`;

describe('redactPatterns', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['a bearer token', 'GET /x "Authorization: Bearer abc.def-123"', ['abc.def-123']],
    ['a bearer token without its header', 'sent bearer aB3_x9-kk to server', ['aB3_x9-kk']],
    ['basic credentials', 'Proxy-Authorization: Basic dXNlcjpwYXNz', ['dXNlcjpwYXNz']],
    ['a JSON Web Token', `token review of ${JWT} failed`, [JWT, JWT.slice(30, 60)]],
    ['a truncated JSON Web Token', `read ${JWT.slice(0, 40)}`, [JWT.slice(0, 40)]],
    ['a PEM block', `key:\n${PEM}\nnext`, KEY_LINES],
    ['a PEM block in JSON', JSON.stringify({ msg: PEM }), KEY_LINES],
    ['a PEM block without its end', PEM.slice(0, 170), KEY_LINES.slice(0, 2)],
    ['a PEM block without its beginning', PEM.slice(40), KEY_LINES.slice(1)],
    [
      'an encrypted PEM block',
      PEM.replace('KEY-----\n', 'KEY-----\nProc-Type: 4,ENCRYPTED\n\n'),
      KEY_LINES,
    ],
    ['a password in a URL', 'proxy http://user:p4/s@s@proxy:3128/ failed', ['p4/s', 'user:']],
    ['a signed URL', 'GET https://s3/b?X-Amz-Signature=0a1b2c&watch=true', ['0a1b2c']],
    ['a value of a secret name', 'dial password="open sesame" user=x', ['open sesame']],
    ['a value of a secret name in JSON', '{"clientSecret":"s\\"3"}', ['s\\"3', '3"}']],
    ['a value of a secret name in nested JSON', '{"m":"{\\"api_key\\":\\"k1\\"}"}', ['k1']],
    ['an environment variable', 'AWS_SECRET_ACCESS_KEY=wJalrXUtn', ['wJalrXUtn']],
    ['a flag', 'FLAG: --token-auth-token=zzz1', ['zzz1']],
    ['a bootstrap token', 'join with 07401b.f395accd246ae52d', ['f395accd246ae52d']],
    ['an access key', 'key AKIAIOSFODNN7EXAMPLE used', ['AKIAIOSFODNN7EXAMPLE']],
    ['random base64', 'loaded Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MEFCQ0RFRg==', ['Zm9vYmFyYmF6']],
    ['short base64', 'loaded Zm9vYmFyYmF6cXV4', ['Zm9vYmFy']],
    ['base64 with padding', 'loaded "aHVudGVyMg=="', ['aHVudGVy']],
    ['a list', '{"password":["open","sesame"]}', ['open', 'sesame']],
    ['a list in nested JSON', String.raw`{\"password\":[\"open\"]}`, ['open']],
    ['a Go value', 'map[password:[open sesame] user:x]', ['open', 'sesame']],
    ['a YAML block', 'password: |\n  sesame\nuser: x', ['sesame']],
    ['an escaped YAML block', String.raw`password: |\n  sesame\nuser: x`, ['sesame']],
    ['a flag and its value', 'etcdctl --etcd-password sesame get', ['sesame']],
    ['a value in a sentence', 'the password is sesame', ['sesame']],
    ['a percent-encoded URL', 'to https%3A%2F%2Fme%3Asesame%40host', ['sesame']],
    ['a percent-encoded URL in a URL', 'https%253A%252F%252Fme%253Asesame%2540host', ['sesame']],
    ['percent-encoded credentials', 'me%3Asesame%40host', ['sesame']],
    ['a data source name', 'root:ses@me@tcp(db:3306)/x', ['ses@me', 'me@']],
    ['a word of a name', 'DB_PASS=sesame', ['sesame']],
    ['a word of a name in camel case', 'dbPass: sesame', ['sesame']],
    ['a word after an acronym', '{"LDAPPass":"sesame"} --SMTPAuth hunter', ['sesame', 'hunter']],
    ['a short name', 'MYSQL_PW=sesame and pwd=horse', ['sesame', 'horse']],
    ['a header', 'X-Auth: sesame', ['sesame']],
    ['a header with digits', "X-Auth: '48213377'", ['48213377']],
    ['a flag with a word', 'run --sig sesame', ['sesame']],
    ['a flag with a word and a sign', 'run --request-signature=sesame', ['sesame']],
    ['a word in JSON', '{"pass":"sesame","auth":"horse"}', ['sesame', 'horse']],
    ['a word in nested JSON', String.raw`{"m":"user: x\npass: sesame\n"}`, ['sesame']],
    ['a word in a Go value', '{Pass:sesame}', ['sesame']],
    ['credentials of a registry', '{"auths":{"r.io":{"auth":"sesame"}}}', ['sesame']],
    ['a word in a URL', 'x%26pass%3Dsesame', ['sesame']],
    ['a password that is no word', 'the pw is sesame', ['sesame']],
    ['a hexadecimal key', `key ${'0f'.repeat(32)}`, ['0f0f0f']],
  ])('removes %s', (_, text, secrets) => {
    const result = redactPatterns(text);
    for (const secret of secrets) expect(result).not.toContain(secret);
    expect(result).toContain('(redacted');
  });

  it.each([
    'I1124 21:00:00.123456 1 reflector.go:424] "Watching" path="/apis/apps/v1/deployments?watch=true&resourceVersion=12"',
    'pulled docker.io/karmada/karmada-webhook:v1.18.2@sha256:' + 'ab'.repeat(32),
    `containerd://${'0f'.repeat(32)}`,
    'Pod karmada-demo-karmada-controller-manager-5d4f8b7c9d-x2x4z on node worker-1',
    'uid 2f1c1d0e-8a5b-4c3d-9e7f-001122334455 generation 7',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 for https://demo-karmada-apiserver.team.svc:5443',
    '/health?exclude=NOSPACE&serializable=true',
    'secrets "demo-karmada-cert" not found',
    'the token is invalid, the password is required, --token must be set',
    'POST /apis/policy/v1alpha1/namespaces/team/PropagationPolicies',
    'bypass=yes author: me compass=north BYPASS=1 oauth=on passive=true design: x PASSAGE=y',
    'auth: user not found',
    'open /run/x/token: no such file or directory',
    'mkdir /run/auth: read-only file system',
    'did not pass validation, the signature is invalid, basic auth required',
    'invalid value for --authorization-mode=RBAC',
    'at 15:00:00 user@example.com',
    'controllers.NewValidatingAdmissionPolicyBindingController started',
  ])('keeps %s', (text) => {
    expect(redactPatterns(text)).toBe(text);
  });

  it('takes time in proportion to the length of the text', () => {
    const parts = [
      'a',
      'A0a',
      '-----BEGIN X-----',
      'a://',
      'token',
      '?a=',
      ':',
      '@',
      '//',
      'a:@',
      '://@',
      'a://a:@',
      '%3A%40',
      'pass=',
      '-pass ',
      '%3A',
      '--',
      '-token ',
      'token is ',
      'token:[',
      'eyJaaaaaaaa',
      '\\"',
    ];
    for (const part of parts) {
      const text = part.repeat(Math.ceil(200_000 / part.length));
      const { user: before } = process.cpuUsage();
      redactPatterns(text);
      expect({ part, slow: process.cpuUsage().user - before > 5_000_000 }).toEqual({
        part,
        slow: false,
      });
    }
  });
});
