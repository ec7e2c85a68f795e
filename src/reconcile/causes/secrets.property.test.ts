import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { causeIn, crashed, type SceneInput } from './__fixtures__/scene.ts';

const alphabet = (letters: string, length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...letters), { minLength: length, maxLength: length })
    .map((found) => found.join(''));

const HEX = '0123456789abcdef';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const random = (length: number): fc.Arbitrary<string> =>
  alphabet(LETTERS, length).map((text) => `aB3${text}`);

interface Planted {
  readonly secret: string;
  /** Text that contains the secret, as programs print it. */
  readonly text: string;
}

/** Secrets of known kinds, as programs print them. */
const known: fc.Arbitrary<Planted> = fc.oneof(
  random(20).map((secret) => ({ secret, text: `https://admin:${secret}@example.com/x` })),
  random(20).map((secret) => ({ secret, text: `Authorization: Bearer ${secret}` })),
  random(20).map((secret) => ({ secret, text: `password=${secret}` })),
  random(20).map((secret) => ({ secret, text: `{"token":"${secret}"}` })),
  random(40).map((secret) => ({ secret, text: `key ${secret} failed` })),
  random(40).map((secret) => ({
    secret,
    text: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
  })),
  random(24).map((secret) => ({
    secret: `eyJhbGci${secret}`,
    text: `token eyJhbGci${secret}.e30.c2ln`,
  })),
  alphabet(HEX, 64).map((secret) => ({ secret, text: `key ${secret}` })),
  fc
    .tuple(alphabet(HEX, 6), alphabet(HEX, 16))
    .map(([id, key]) => ({ secret: `${id}.${key}`, text: `token ${id}.${key}` })),
);

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
        ...{ part, isSlow: false, isLong: false, lines: 1 },
      });
    }
  });
});
