import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { causeIn, crashed, type SceneInput } from '../../causes/__fixtures__/scene.ts';

const alphabet = (letters: string, length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...letters), { minLength: length, maxLength: length })
    .map((found) => found.join(''));

const HEX = '0123456789abcdef';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const LETTERS = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER}0123456789`;
const random = (length: number): fc.Arbitrary<string> =>
  alphabet(LETTERS, length).map((text) => `aB3${text}`);

interface Planted {
  readonly secret: string;
  /** Text that contains the secret, as programs print it. */
  readonly text: string;
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Texts with a secret that has any form. */
const NAMED: readonly ((secret: string) => string)[] = [
  (secret) => `password=${secret}`,
  (secret) => `password=${secret} words`,
  (secret) => `PGPASSWORD = '${secret}'`,
  (secret) => `{"password":"${secret}"}`,
  (secret) => `{"token": "two ${secret}"}`,
  (secret) => `{"password":["${secret}"]}`,
  (secret) => `{"auth":{"password":{"value":"${secret}"}}}`,
  (secret) => JSON.stringify(`{"password":["${secret}"]}`),
  (secret) => `map[password:${secret}]`,
  (secret) => `map[password:[one ${secret}]]`,
  (secret) => `&{Password:${secret}}`,
  (secret) => `user: x\npassword: ${secret}\n`,
  (secret) => `password: two ${secret}`,
  (secret) => `password: |\n  ${secret}\n`,
  (secret) => `passwords:\n- ${secret}\n`,
  (secret) => `--etcd-password ${secret}`,
  (secret) => `--etcd-password=${secret}`,
  (secret) => `-password "${secret}"`,
  (secret) => `password is ${secret}`,
  (secret) => `wrong password "${secret}"`,
  (secret) => `the password ${secret} is wrong`,
  (secret) => `${secret} is a wrong password`,
  (secret) => `password%3D${secret}%26x%3D1`,
  (secret) => `https://admin:${secret}@example.com/x`,
  (secret) => encodeURIComponent(`https://admin:${secret}@example.com/x`),
  (secret) => encodeURIComponent(encodeURIComponent(`https://admin:${secret}@example.com`)),
  (secret) => `https:\\/\\/admin:${secret}@example.com`,
  (secret) => `${encodeURIComponent(`admin:${secret}@`)}example.com`,
  (secret) => `root:${secret}@tcp(127.0.0.1:3306)/db`,
  (secret) => `postgres://root:p@${secret}@db/name`,
  (secret) => `admin:${secret}@db.example.com:5432`,
  (secret) => `Authorization: Bearer ${secret}`,
  (secret) => `bearer ${secret}`,
  (secret) => `Bearer%20${secret}`,
];

/** Texts with a secret that looks random. */
const UNNAMED: readonly ((secret: string) => string)[] = [
  (secret) => `key ${secret} failed`,
  (secret) => `[${secret}]`,
  (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
  (secret) => JSON.stringify(`-----BEGIN RSA PRIVATE KEY-----\n${secret}\n`),
];

/** Secrets of known kinds, as programs print them. */
const known: fc.Arbitrary<Planted> = fc.oneof(
  fc
    .tuple(fc.oneof(alphabet(LOWER, 10), random(20)), fc.constantFrom(...NAMED))
    .map(([secret, print]) => ({ secret, text: print(secret) })),
  fc
    .tuple(fc.oneof(random(13), random(20), random(40)), fc.constantFrom(...UNNAMED))
    .map(([secret, print]) => ({ secret, text: print(secret) })),
  // Base64 with padding.
  alphabet(LETTERS, 7)
    .map((text) => base64(`${text}xYz0`))
    .map((secret) => ({ secret, text: `read ${secret}` })),
  random(9).map((password) => ({
    secret: base64(`admin:${password}`),
    text: `Proxy-Authorization: Basic ${base64(`admin:${password}`)}`,
  })),
  alphabet('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16).map((id) => ({
    secret: `AKIA${id}`,
    text: `key id AKIA${id}`,
  })),
  random(37).map((secret) => ({ secret, text: `aws_secret_access_key = ${secret}` })),
  random(24).map((secret) => ({
    secret: `eyJhbGci${secret}`,
    text: `token eyJhbGci${secret}.e30.c2ln`,
  })),
  alphabet(HEX, 64).map((secret) => ({ secret, text: `key ${secret}` })),
  fc
    .tuple(alphabet(HEX, 6), alphabet(HEX, 16))
    .map(([id, key]) => ({ secret: `${id}.${key}`, text: `token ${id}.${key}` })),
);

/** A string in Go, with escapes for all but ASCII. */
const goQuoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[^\u0000-\u007f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const bytesOf = (text: string, prefix: string): string =>
  [...Buffer.from(text, 'utf8')]
    .map((byte) => `${prefix}${byte.toString(16).padStart(2, '0')}`)
    .join('');

/** Forms in which programs print a value. */
const FORMS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(JSON.stringify(value)),
  goQuoted,
  (value) => JSON.stringify(goQuoted(value)),
  (value) => encodeURIComponent(value),
  (value) => encodeURIComponent(value).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  (value) => JSON.stringify(`https://x/${encodeURIComponent(value)}`),
  (value) => bytesOf(value, '%'),
  (value) => bytesOf(value, '\\x'),
  (value) => [...value].map((sign, at) => (at % 3 === 0 ? bytesOf(sign, '%') : sign)).join(''),
  (value) => base64(`user:${value}`),
  (value) => base64(value),
];

/** Flags and environment variables with a secret. */
const SETTINGS: readonly { readonly name: string; readonly print: (secret: string) => string }[] = [
  ...['DB_PASS', 'MYSQL_PW', 'X-AUTH', 'sig', 'PIN', 'TOKEN', 'REQUEST_SIGNATURE'].map((name) => ({
    name,
    print: (secret: string) => secret,
  })),
  ...[
    (secret: string) => `postgres://root:${secret}@db/name`,
    (secret: string) => `user=root password=${secret} host=db`,
    (secret: string) => `user=root password='${secret}' host=db`,
    (secret: string) => `root:${secret}@tcp(db:3306)/name`,
    (secret: string) => `http://a:b@c,http://d:${secret}@e`,
    (secret: string) => `https://c/?sig=${secret}&x=y`,
    (secret: string) => JSON.stringify({ auths: { c: { password: secret } } }),
  ].map((print) => ({ name: 'SOURCE', print })),
];

/** Places of foreign text, with the text. */
const PLACES: Readonly<Record<string, (text: string) => Omit<SceneInput, 'component'>>> = {
  'an error of the command': (text) => ({ main: crashed(`Error: ${text}\n`) }),
  'a failed command': (text) => ({
    main: crashed(
      `E1126 15:00:00.000000       1 run.go:72] "command failed" err=${JSON.stringify(text)}\n`,
    ),
  }),
  'a fatal line': (text) => ({ main: crashed(`F1126 15:00:00.000000       1 x.go:1] ${text}\n`) }),
  'a panic': (text) => ({ main: crashed(`panic: ${text}\n`) }),
  'the reason of a wait': (text) => ({
    main: { state: { waiting: { reason: 'CreateContainerConfigError', message: text } } },
  }),
  'an error of the container runtime': (text) => ({
    main: {
      state: {
        waiting: {
          reason: 'RunContainerError',
          message: `exec: ${text}: no such file or directory`,
        },
      },
    },
  }),
  'an Event about a volume': (text) => ({
    main: { state: { waiting: { reason: 'ContainerCreating' } } },
    told: [
      {
        reason: 'FailedMount',
        note: `MountVolume.SetUp failed for volume "audit" : ${text}: mount failed: exit status 32`,
      },
    ],
  }),
  'an Event about the sandbox': (text) => ({
    main: { state: { waiting: { reason: 'ContainerCreating' } } },
    told: [{ reason: 'FailedCreatePodSandBox', note: text }],
  }),
  'a probe': (text) => ({
    main: { state: { running: { startedAt: '2026-01-01T00:09:00Z' } } },
    told: [
      {
        reason: 'Unhealthy',
        container: 'kube-apiserver',
        note: `Startup probe failed: ${text} connection refused`,
      },
    ],
  }),
  'a webhook': (text) => ({
    pods: [],
    workloadStatus: {
      conditions: [
        {
          type: 'ReplicaFailure',
          status: 'True',
          message: `admission webhook "policy.example.com" denied the request: ${text}`,
        },
      ],
    },
  }),
  'another refusal': (text) => ({
    pods: [],
    workloadStatus: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: text }] },
  }),
  'the scheduler': (text) => ({
    status: {
      conditions: [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: text },
      ],
    },
  }),
};

const RUNS = { numRuns: 40 };

describe.each(Object.entries(PLACES))('the message about %s', (_, place) => {
  it('contains no secret of a known kind', () => {
    fc.assert(
      fc.property(known, fc.lorem({ maxCount: 4 }), ({ secret, text }, words) => {
        const message =
          causeIn({ component: 'karmada-apiserver', ...place(`${words} ${text}`) })?.message ?? '';
        expect(message).not.toContain(secret);
        expect(message).not.toContain(secret.slice(0, 16));
      }),
      RUNS,
    );
  });

  it('contains no value of a flag or environment variable', () => {
    fc.assert(
      fc.property(random(9), fc.constantFrom('flag', 'part', 'env'), (secret, kind) => {
        const value = kind === 'part' ? `key=${secret},other=1` : secret;
        const spec: SceneInput['spec'] =
          kind === 'env'
            ? { podSettings: [{ env: [{ name: 'HTTPS_PROXY', value }] }] }
            : { components: { karmadaAPIServer: { extraArgs: { 'oidc-client': value } } } };
        const text = `the value ${secret} (${JSON.stringify(secret)}) of --oidc-client is wrong`;
        const message =
          causeIn({ component: 'karmada-apiserver', spec, ...place(text) })?.message ?? '';
        expect(message).not.toContain(secret);
      }),
      RUNS,
    );
  });

  it('contains no secret of the spec that looks like a number or a path, and no password of a URL', () => {
    const plain = fc.oneof(
      alphabet('0123456789', 8),
      fc.tuple(alphabet(LOWER, 3), alphabet(LOWER, 5)).map((path) => `/${path.join('/')}`),
      alphabet(LOWER, 10),
    );
    fc.assert(
      fc.property(
        plain,
        fc.constantFrom(...SETTINGS),
        fc.constantFrom('spec', 'target'),
        (secret, { name, print }, where) => {
          const podSettings = [{ env: [{ name, value: print(secret) }] }];
          const karmadaAPIServer = { extraArgs: { [name.toLowerCase()]: print(secret) } };
          for (const spec of [{ podSettings }, { components: { karmadaAPIServer } }]) {
            const scene = place(`the server says ${secret} and ${secret}, which is wrong`);
            const message =
              causeIn({ component: 'karmada-apiserver', [where]: spec, ...scene })?.message ?? '';
            expect(message).not.toContain(secret);
          }
        },
      ),
      RUNS,
    );
  });

  it('contains no value of an environment variable in the forms in which programs print it', () => {
    fc.assert(
      fc.property(
        fc.tuple(random(7), fc.constantFrom('é', '"', '\\', '%', '&', '/', 'ü€', '\n'), random(7)),
        fc.constantFrom(...FORMS),
        ([one, sign, other], print) => {
          const value = `${one}${sign}${other}`;
          const spec = { podSettings: [{ env: [{ name: 'PROXY', value }] }] };
          const scene = place(`the proxy at ${print(value)} fails`);
          const message =
            causeIn({ component: 'karmada-apiserver', spec, ...scene })?.message ?? '';
          for (const part of [one, other, print(value), base64(value).slice(4, 14)])
            expect(message).not.toContain(part);
        },
      ),
      RUNS,
    );
  });

  it('is short, has one line, and takes time in proportion to the text', () => {
    for (const part of [
      'a ',
      '"',
      '\\"',
      '--x=',
      'open /',
      'Error: ',
      '{"level":"fatal",',
      '\n',
      'volume "',
    ]) {
      const text = part.repeat(Math.ceil(100_000 / part.length));
      const { user: before } = process.cpuUsage();
      const message = causeIn({ component: 'karmada-apiserver', ...place(text) })?.message ?? '';
      const isSlow = process.cpuUsage().user - before > 4_000_000;
      expect({
        part,
        isSlow,
        isLong: message.length > 900,
        lines: message.split('\n').length,
      }).toEqual({
        part,
        isSlow: false,
        isLong: false,
        lines: 1,
      });
    }
  });
});

/** Lines with which components report their end, and what the message says of them. */
const FATAL: readonly (readonly [line: string, says: string])[] = [
  ['Error: unknown flag: --no-such', 'the program has no flag --no-such'],
  [
    'E1126 15:00:00.000000       1 run.go:72] "command failed" err="ensureLogFile: mkdir /var/log/audit: read-only file system"',
    '/var/log/audit: read-only file system',
  ],
  [
    'E1126 15:00:00.000000       1 run.go:72] "command failed" err="--authorization-config can not be specified when --authorization-mode is set"',
    '--authorization-config can not be specified',
  ],
  [
    'F1126 15:00:00.000000       1 instance.go:226] Error creating leases: error creating storage factory: context deadline exceeded',
    'error creating storage factory: context deadline exceeded',
  ],
  [
    'panic: runtime error: invalid memory address or nil pointer dereference',
    'panic: runtime error',
  ],
  [
    'Error: --service-account-signing-key-file and --service-account-issuer are required flags',
    '--service-account-issuer are required flags',
  ],
  ['Error: secrets "karmada-demo-webhook" not found', 'secrets "karmada-demo-webhook" not found'],
];

describe('the message about a log with secrets', () => {
  it('quotes the line with the error', () => {
    fc.assert(
      fc.property(known, random(9), fc.constantFrom(...FATAL), ({ text }, value, [line, says]) => {
        const spec = { podSettings: [{ env: [{ name: 'A', value: `${value} x=${value}` }] }] };
        const main = crashed(
          `I1126 15:00:00.000000       1 x.go:1] ${text}\nusing ${value}\n${line}\n`,
        );
        expect(causeIn({ component: 'karmada-apiserver', spec, main })?.message).toContain(says);
      }),
      { numRuns: 100 },
    );
  });
});
