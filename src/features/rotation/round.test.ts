import { describe, expect, it } from '@jest/globals';
import type { Action } from '../../actions/action.ts';
import { executionResultOf } from '../../actions/execution-result.ts';
import type { RoundInput } from '../../actions/round.ts';
import { karmadaOf, NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import { PAUSE_REPAIR } from '../../instance/pause.ts';
import type { RotationSnapshot } from '../../instance/rotation-snapshot.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { INPUTS } from '../../pki/fixture.test-data.ts';
import { keyFactsOf } from '../../pki/key-plan.ts';
import { makeKey } from '../../pki/keys.ts';
import { privateKeyPem, publicKeyPem } from '../../pki/pem.ts';
import { keysIn, signerOf, type KeysOfPod } from './ask-api-server.ts';
import type { RotationTools } from './observe.ts';
import { EMPTY_RECORD, formatRecord, ROTATION_ANNOTATION, type Rotation } from './record.ts';
import { rotationRound } from './round.ts';
import { withUnsettledHashes } from './unsettled-hashes.ts';
import { OWNED, podOf } from './__fixtures__/objects.ts';

const MINUTE = 60_000;
const keys = { A: await makeKey('ec-p256'), B: await makeKey('ec-p256') };
const pem = { A: privateKeyPem(keys.A), B: privateKeyPem(keys.B) };
const pub = { A: publicKeyPem(keys.A), B: publicKeyPem(keys.B) };
const [A = '', B = ''] = keyFactsOf({ signing: pem.A, verifying: [pub.A, pub.B] }).verifying;

const DESIRED = wishOf();
const READY = [
  { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 2 },
  { type: 'Progressing', status: 'False', reason: 'Completed', message: '' },
];

interface World {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly rotation?: Partial<Rotation>;
  /** Values of the Secrets in use and of the CA backup. */
  readonly used?: Readonly<Record<string, string>>;
  readonly saved?: Readonly<Record<string, string>>;
  readonly answer?: KeysOfPod;
  readonly startedAt?: number;
  readonly conditions?: readonly object[];
  readonly snapshot?: Partial<Snapshot>;
  readonly paused?: boolean;
  readonly apiServers?: number;
  /** By how much the wall clock jumps after the observation. */
  readonly jumpMs?: number;
}

const BOTH = `${pub.A}${pub.B}`;
const PREPARED = { 'service-account.key': pem.A, 'service-account.pub': BOTH };
const WITH_SUCCESSOR = { ...PREPARED, 'service-account-successor.key': pem.B };

const secret = (suffix: string, data: object, annotations: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    ...{ name: `karmada-demo-${suffix}`, namespace: 'team', uid: suffix, resourceVersion: '7' },
    ...{ labels: OWNED, annotations: { ...annotations } },
  },
  data: Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      Buffer.from(String(value)).toString('base64'),
    ]),
  ),
});

const clock = { ...manualClock(NOW), wall: () => NOW };

function backupOf({ rotation, saved = WITH_SUCCESSOR, paused }: World): KubernetesObject {
  const core = { authority: 'service-account-key', from: A, to: B, since: NOW - 600 * MINUTE };
  const one = rotation && ({ phase: 'Preparing', ...core, ...rotation } as Rotation);
  const record = formatRecord({ ...EMPTY_RECORD, rotations: one ? [one] : [] });
  return secret('ca-backup', saved, {
    ...(one && { [ROTATION_ANNOTATION]: record }),
    ...(paused && { [PAUSE_REPAIR]: 'true' }),
  });
}

const BASE = snapshotOf(DESIRED, [...DESIRED.steps]);

function snapshotIn(world: World, backup: KubernetesObject): Snapshot {
  const karmada = karmadaOf();
  const metadata = { ...karmada.metadata, annotations: { ...world.annotations } };
  const status = { conditions: world.conditions ?? READY };
  return {
    ...BASE,
    host: { ...BASE.host, objects: [...BASE.host.objects, backup] },
    karmada: { ...karmada, metadata, status },
    ...world.snapshot,
  } as Snapshot;
}

const podsIn = ({
  startedAt = NOW - 300 * MINUTE,
  apiServers = 1,
}: World): readonly KubernetesObject[] => [
  ...Array.from({ length: apiServers }, (_, index) =>
    podOf('karmada-apiserver', startedAt, index + 1),
  ),
  podOf('kube-controller-manager', startedAt),
];

const answerIn = ({ answer = { published: [A, B], signs: A } }: World): object => answer;

/** Runs the round. @returns its actions, what it learned, and the number of reads */
async function run(world: World) {
  const answer = answerIn(world);
  const backup = backupOf(world);
  const snapshot = snapshotIn(world, backup);
  const used = secret('service-account-key', world.used ?? PREPARED);
  const stored = [
    backup,
    used,
    secret('cert', { 'ca.crt': 'ca', 'karmada.crt': 'certificate', 'karmada.key': 'key' }),
  ];
  const pods = podsIn(world);
  let [reads, asked] = [0, 0];
  const client = {
    find: (_: unknown, { name }: { readonly name: string }) => {
      reads += 1;
      const all = [...stored, ...BASE.host.objects.filter(({ kind }) => kind === 'Deployment')];
      return Promise.resolve(all.find(({ metadata }) => metadata.name === name));
    },
    list: (_: unknown, { labelSelector }: { readonly labelSelector: string }) =>
      labelSelector.includes('()')
        ? Promise.reject(new Error('invalid selector'))
        : Promise.resolve({ items: pods }),
  };
  const askPod = () => {
    asked += 1;
    return Promise.resolve(answer);
  };
  const tools = { host: { client }, clock, userAgent: '', askPod };
  const known = { snapshot, pki: { ...INPUTS, name: 'karmada-demo' }, view: VIEW };
  const instance = { key: 'team/karmada-demo', settled: new Map<string, string>() };
  const read = await rotationRound.observe?.(tools as object as RotationTools, known, instance);
  const jumped = { ...clock, wall: () => NOW + (world.jumpMs ?? 0) };
  const input: RoundInput = { instance, clock: jumped, random: () => 0 };
  const decision = rotationRound.decide?.({ ...known, ...read }, input);
  const learned = decision?.learn?.(executionResultOf([], []));
  return { actions: decision?.actions ?? [], rotation: learned?.snapshot?.rotation, reads, asked };
}

const kinds = (actions: readonly Action[]): readonly string[] => actions.map(({ kind }) => kind);
const reasonOf = (rotation: RotationSnapshot | undefined): string | undefined =>
  rotation?.conditions[0]?.reason;

const REQUEST = { 'operator.karmada.io/rotate': 'service-account-key/1' };
const WRITTEN = NOW - 200 * MINUTE;

describe('rotationRound', () => {
  it('reads and writes nothing at rest', async () => {
    const { actions, rotation, reads } = await run({});
    expect({ actions, rotation, reads }).toEqual({ actions: [], rotation: undefined, reads: 0 });
  });

  it.each<[string, World, readonly string[], string | undefined]>([
    ['records a request', { annotations: REQUEST }, ['recordRotation'], undefined],
    [
      'creates the next key for a request without one',
      { annotations: REQUEST, saved: PREPARED },
      ['issueCertificates'],
      undefined,
    ],
    [
      'reports a request without an ID',
      { annotations: { 'operator.karmada.io/rotate': 'service-account-key' } },
      [],
      'RotationRequestInvalid',
    ],
    [
      'reports an abort of a rotation that is not under way',
      { annotations: { 'operator.karmada.io/rotate-abort': `ca/${'a'.repeat(16)}` } },
      [],
      'RotationRequestInvalid',
    ],
    [
      'waits until the control plane is ready',
      { annotations: REQUEST, conditions: [] },
      [],
      'ControlPlaneNotReady',
    ],
    ['waits for a paused Secret', { annotations: REQUEST, paused: true }, [], 'RotationPaused'],
    [
      'writes what a Secret lacks',
      { rotation: {}, used: { ...PREPARED, 'service-account.pub': pub.A } },
      ['issueCertificates'],
      'Preparing',
    ],
    [
      'switches with the proof',
      { rotation: { writtenAt: WRITTEN } },
      ['recordRotation'],
      'Preparing',
    ],
    [
      'switches with the proof when the wall clock jumps forward after it',
      { rotation: { writtenAt: WRITTEN }, jumpMs: MINUTE },
      ['recordRotation'],
      'Preparing',
    ],
    [
      'switches with the proof when the wall clock jumps back after it',
      { rotation: { writtenAt: WRITTEN }, jumpMs: -MINUTE },
      ['recordRotation'],
      'Preparing',
    ],
    [
      'waits for an API server that does not publish the new key',
      {
        rotation: { writtenAt: WRITTEN },
        answer: { published: [A] },
        startedAt: WRITTEN + 10 * MINUTE,
      },
      [],
      'Preparing',
    ],
    [
      'waits for one that shows nothing',
      { rotation: { writtenAt: WRITTEN }, answer: {} },
      [],
      'Preparing',
    ],
    [
      'names the command for Pods that started too early',
      {
        rotation: { writtenAt: WRITTEN },
        answer: { published: [A] },
        startedAt: WRITTEN - MINUTE,
      },
      [],
      'RotationRestartRequired',
    ],
    [
      'creates the ServiceAccount whose tokens show which key signs',
      {
        rotation: { phase: 'Switching', writtenAt: WRITTEN },
        used: { 'service-account.key': pem.B, 'service-account.pub': `${pub.B}${pub.A}` },
        saved: {
          ...{ 'service-account.key': pem.B, 'service-account.pub': `${pub.B}${pub.A}` },
          'service-account-retired.key': pem.A,
        },
        answer: { published: [A, B], lacksAccount: true },
        startedAt: WRITTEN + 10 * MINUTE,
      },
      ['createTokenAccount'],
      'Switching',
    ],
    [
      'reports a record that is not valid',
      { rotation: { to: 'none' } },
      [],
      'RotationRecordInvalid',
    ],
  ])('%s', async (_, world, actions, reason) => {
    const found = await run(world);
    expect([kinds(found.actions), reasonOf(found.rotation)]).toEqual([actions, reason]);
  });

  it.each<[string, World, number, readonly string[]]>([
    ['asks all API servers and switches', { apiServers: 32 }, 32, ['recordRotation']],
    ['asks few of thousands of Pods and changes nothing', { apiServers: 5_000 }, 32, []],
  ])('%s', async (_, world, asked, actions) => {
    const found = await run({ ...world, rotation: { writtenAt: WRITTEN } });
    expect([found.asked, kinds(found.actions)]).toEqual([asked, actions]);
  });

  it.each<[string, World]>([
    ['in use', { used: { ...PREPARED, 'service-account.pub': BOTH.repeat(40) } }],
    ['of the backup', { saved: { ...WITH_SUCCESSOR, 'service-account.pub': BOTH.repeat(40) } }],
  ])('does not parse many keys in the Secret %s', async (_, world) => {
    const found = await run({ ...world, rotation: { writtenAt: WRITTEN } });
    expect([found.asked, kinds(found.actions), reasonOf(found.rotation)]).toEqual([
      0,
      [],
      'RotationNotObserved',
    ]);
  });

  it('reports the phase, and the Pods that it waits for', async () => {
    const world = { rotation: { writtenAt: WRITTEN }, answer: {} };
    const [row] = (await run(world)).rotation?.status?.authorities ?? [];
    expect(row).toMatchObject({ authority: 'service-account-key', phase: 'Preparing' });
    expect(row?.waitingFor?.count).toBeGreaterThan(0);
  });

  it('reports a record with a time that no condition can contain', async () => {
    const since = 8_640_000_000_000_000;
    const { rotation } = await run({ rotation: { phase: 'Overlap', since } });
    expect(reasonOf(rotation)).toBe('RotationRecordInvalid');
  });

  it.each<[string, Partial<Rotation>, readonly string[]]>([
    ['Secrets are not written', {}, ['karmada-apiserver', 'kube-controller-manager']],
    [
      'kubelets may mount the former ones',
      { writtenAt: NOW - MINUTE },
      ['karmada-apiserver', 'kube-controller-manager'],
    ],
    ['each kubelet mounts them', { writtenAt: NOW - 2 * MINUTE }, []],
    [
      'an abort of the last phase adds the former key again',
      { phase: 'Overlap', completion: 'awaited', writtenAt: NOW - MINUTE },
      ['karmada-apiserver', 'kube-controller-manager'],
    ],
    ['an overlap lasts', { phase: 'Overlap', writtenAt: NOW - 8 * MINUTE }, []],
  ])('delays restarts while %s', async (_, rotation, expected) => {
    const { rotation: found } = await run({ rotation });
    expect([...(found?.unsettled ?? [])]).toEqual(expected);
  });
});

describe('withUnsettledHashes', () => {
  const { host } = snapshotOf(DESIRED, [...DESIRED.steps]);
  const hashes = { 'karmada-apiserver': 'new', 'karmada-scheduler': 'newer' } as const;
  const unsettled = new Set(['karmada-apiserver'] as const);

  it('keeps the hash that Pods of an unsettled component have', () => {
    const rotation = { conditions: [], dueAt: Infinity, unsettled };
    expect(withUnsettledHashes(hashes, { rotation, host })).toEqual({
      ...hashes,
      'karmada-apiserver': 'one',
    });
  });

  it('leaves out the hash of an unsettled component whose Pods have none', () => {
    const rotation = { conditions: [], dueAt: Infinity, unsettled: new Set(['etcd'] as const) };
    expect(withUnsettledHashes({ ...hashes, etcd: 'newest' }, { rotation, host })).toEqual(hashes);
  });

  it('changes nothing without a rotation', () => {
    expect(withUnsettledHashes(hashes, { host })).toBe(hashes);
  });
});

describe('keysIn', () => {
  const kid = Buffer.from(A, 'hex').toString('base64url');

  it.each<[string, string, readonly string[] | undefined]>([
    ['the keys of a JWKS', `{"keys":[{"kid":"${kid}","kty":"RSA"}]}`, [A]],
    ['keys without an ID as unknown ones', '{"keys":[{},null,{"kid":1}]}', ['', '', '']],
    ['nothing for another object', '{"items":[]}', undefined],
    ['nothing for a list', '[]', undefined],
    ['nothing for a text that is no JSON', '<html>', undefined],
    ['nothing for more keys than a server has', `{"keys":[${'{},'.repeat(2_000)}{}]}`, undefined],
  ])('returns %s', (_, body, expected) => {
    expect(keysIn(body)).toEqual(expected);
  });
});

describe('signerOf', () => {
  const token = (header: string): string => `${Buffer.from(header).toString('base64url')}.e30.x`;
  const kid = Buffer.from(B, 'hex').toString('base64url');

  it.each<[string, string, string | undefined]>([
    ['the key of a token', token(`{"alg":"RS256","kid":"${kid}"}`), B],
    ['nothing without an ID', token('{}'), undefined],
    ['nothing for a text that is no token', 'token-of-x', undefined],
  ])('returns %s', (_, text, expected) => {
    expect(signerOf(text)).toBe(expected);
  });
});
