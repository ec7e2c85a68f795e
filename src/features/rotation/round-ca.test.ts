import { describe, expect, it } from '@jest/globals';
import { executionResultOf } from '../../actions/execution-result.ts';
import type { RoundInput } from '../../actions/round.ts';
import { COMPONENT } from '../../api/labels.ts';
import { karmadaOf, NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { authorityFacts, type AuthorityFacts } from '../../pki/authority-facts.ts';
import { isSignedBy } from '../../pki/certificate-info.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { INPUTS, issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import { makeKey } from '../../pki/keys.ts';
import type { SecretReads } from '../../pki/types.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import type { LeafAccess } from './ask-with-leaf.ts';
import type { Answer } from './facts.ts';
import type { RotationTools } from './observe.ts';
import { pkiPlansIn } from './pki-plans.ts';
import { labelsOf } from './pod-facts.ts';
import { EMPTY_RECORD, formatRecord, ROTATION_ANNOTATION, type Rotation } from './record.ts';
import { rotationRound } from './round.ts';
import { SHARED_TRUST } from './shared-trust.ts';
import { OWNED, podOf } from './__fixtures__/objects.ts';

const MINUTE = 60_000;
const NAME = 'karmada-demo';
const INPUT = { ...INPUTS, name: NAME, namespace: 'team' };
const DATE = new Date(NOW);

const INSTALLED = readsOf(
  ready(await ensureCertificates(request({ inputs: INPUT }), issuance(DATE))),
);

const factsOf = (reads: SecretReads): AuthorityFacts => {
  const facts = authorityFacts(INPUT, 'front-proxy-ca', reads, DATE);
  if (facts === undefined) throw new Error('no CA');
  return facts;
};
const [A, B] = [factsOf(INSTALLED).active.sha256, factsOf(INSTALLED).successor?.sha256 ?? ''];

const rotationIn = (phase: Rotation['phase'], more: Partial<Rotation> = {}): Rotation => ({
  ...{ authority: 'front-proxy-ca', phase, from: A, to: B, since: NOW - 60 * MINUTE },
  ...more,
});

/** The Secrets with the content of a phase. */
async function inPhase(rotation: Rotation, reads: SecretReads): Promise<SecretReads> {
  const { authorities } = pkiPlansIn(recordOf(rotation));
  const made = request({ inputs: INPUT, reads, authorityPlans: authorities, keepsTrust: true });
  return readsOf(ready(await ensureCertificates(made, issuance(DATE))));
}

const recordOf = (rotation: Rotation): string =>
  formatRecord({ ...EMPTY_RECORD, rotations: [rotation] });

const PREPARED = await inPhase(rotationIn('Preparing'), INSTALLED);
const SWITCHED = await inPhase(rotationIn('Switching'), PREPARED);
const OVERLAPPED = await inPhase(rotationIn('Overlap'), SWITCHED);
const C = factsOf(OVERLAPPED).successor?.sha256 ?? '';
const COMPLETED = await inPhase(rotationIn('Completing', { next: C }), OVERLAPPED);
const WRITTEN = { writtenAt: NOW - 20 * MINUTE };

const pemOf = (root: string): string =>
  [INSTALLED, COMPLETED]
    .flatMap((reads) => certificateBlocks(textIn(reads, 'cert', 'front-proxy-ca.crt')))
    .find((_, index) => [A, B, B, C][index] === root) ?? '';

function textIn(reads: SecretReads, role: 'cert' | 'ca-backup', key: string): string {
  const data = reads[role];
  return Buffer.from(typeof data === 'object' ? (data[key] ?? '') : '', 'base64').toString();
}

const changed = (
  reads: SecretReads,
  role: 'cert' | 'ca-backup',
  values: Readonly<Record<string, string | undefined>>,
): SecretReads => {
  const entries = Object.entries({ ...(reads[role] as object), ...values });
  return {
    ...reads,
    [role]: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
  };
};

interface World {
  readonly rotate?: string;
  readonly rotation?: Rotation;
  readonly reads?: SecretReads;
  /** CAs that the servers accept, by component; A and B by default. */
  readonly trusts?: Readonly<Record<string, readonly string[]>>;
  /** CAs in the ConfigMap; absent if it cannot be read. */
  readonly published?: readonly string[] | 'unread';
  readonly publishedAt?: number;
  readonly remote?: true;
}

const READY = [
  { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 2 },
  { type: 'Progressing', status: 'False', reason: 'Completed', message: '' },
];

function secretsIn({ reads = INSTALLED, rotation }: World): readonly KubernetesObject[] {
  return Object.entries(reads).flatMap(([role, data]) =>
    typeof data === 'string'
      ? []
      : {
          ...{ apiVersion: 'v1', kind: 'Secret', data },
          metadata: {
            ...{ name: `${NAME}-${role}`, namespace: 'team', uid: role, resourceVersion: '7' },
            labels: OWNED,
            ...(role === 'ca-backup' &&
              rotation && { annotations: { [ROTATION_ANNOTATION]: recordOf(rotation) } }),
          },
        },
  );
}

function configMapIn({ published = [A, B], publishedAt = NOW - 5 * MINUTE }: World) {
  const bundle = published === 'unread' ? '' : published.map(pemOf).join('');
  return {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { 'requestheader-client-ca-file': bundle } },
    metadata: {
      ...{ ...SHARED_TRUST, uid: 'shared', resourceVersion: '9' },
      managedFields: [{ time: new Date(publishedAt).toISOString() }],
    },
  };
}

const BASE = snapshotOf(wishOf(), [...wishOf().steps]);
const DEPLOYMENTS = BASE.host.objects.filter(({ kind }) => kind === 'Deployment');
/** Pods of the installed components that use the CA, by name. */
const PODS = DEPLOYMENTS.flatMap(({ metadata, spec }) => {
  const component = metadata.labels?.[COMPONENT] ?? '';
  const { replicas = 1 } = spec as { replicas?: number };
  return labelsOf(['front-proxy-ca']).includes(component)
    ? Array.from({ length: replicas }, (_, index) => podOf(component, NOW - 300 * MINUTE, index))
    : [];
});
const clock = { ...manualClock(NOW), wall: () => NOW };

/** A server answers as the CAs say that it trusts. */
const answering =
  ({ trusts = {} }: World) =>
  (question: string, { leaf, server }: LeafAccess): Promise<Answer> => {
    const component = server === INPUT.inClusterServer ? 'apiserver' : 'aggregated';
    const isTrusted = (trusts[component] ?? [A, B]).some((root) =>
      isSignedBy(certificateBlocks(leaf.certificate)[0] ?? '', pemOf(root)),
    );
    const status = question === 'forbiddenCall' ? 403 : 201;
    return Promise.resolve(
      isTrusted ? { kind: 'status', status, isNamed: true } : { kind: 'status', status: 401 },
    );
  };

function snapshotIn(world: World, secrets: readonly KubernetesObject[]): Snapshot {
  const karmada = karmadaOf();
  const annotations = world.rotate && { 'operator.karmada.io/rotate': world.rotate };
  return {
    ...BASE,
    host: { ...BASE.host, objects: [...BASE.host.objects, ...secrets] },
    karmada: {
      ...{ ...karmada, status: { conditions: READY } },
      metadata: { ...karmada.metadata, annotations: { ...annotations } },
    },
    ...(world.remote && { remote: {} }),
  } as object as Snapshot;
}

function instanceIn(world: World): RoundInput['instance'] {
  const controlPlane = { client: { find: () => Promise.resolve(configMapIn(world)) } };
  return {
    ...{ key: 'team/karmada-demo', settled: new Map<string, string>() },
    ...(world.published !== 'unread' && { controlPlane }),
  } as object as RoundInput['instance'];
}

async function run(world: World) {
  const secrets = secretsIn(world);
  const snapshot = snapshotIn(world, secrets);
  const stored = [...secrets, ...DEPLOYMENTS];
  const client = {
    find: (_: unknown, { name }: { readonly name: string }) =>
      Promise.resolve(stored.find(({ metadata }) => metadata.name === name)),
    list: () => Promise.resolve({ items: PODS }),
  };
  const tools = {
    ...{ host: { client }, clock, userAgent: '', askLeaf: answering(world) },
    keys: { generate: () => makeKey('ec-p256') },
  };
  const known = { snapshot, pki: INPUT, view: VIEW };
  const instance = instanceIn(world);
  const read = await rotationRound.observe?.(tools as object as RotationTools, known, instance);
  const input: RoundInput = { instance, clock, random: () => 0 };
  return resultOf(rotationRound.decide?.({ ...known, ...read }, input));
}

function resultOf(decision: ReturnType<NonNullable<typeof rotationRound.decide>> | undefined) {
  const learned = decision?.learn?.(executionResultOf([], []));
  const [condition] = learned?.snapshot?.rotation?.conditions ?? [];
  return { actions: decision?.actions ?? [], condition };
}

const COMPLETING: World = {
  rotation: rotationIn('Completing', { ...WRITTEN, next: C }),
  reads: COMPLETED,
  trusts: { apiserver: [B, C], aggregated: [B, C] },
  published: [B, C],
};
const PREPARING: World = { rotation: rotationIn('Preparing', WRITTEN), reads: PREPARED };

describe('the round of a rotation of front-proxy-ca', () => {
  it.each<[string, World, readonly string[], string | undefined]>([
    ['records a request', { rotate: 'front-proxy-ca/1' }, ['recordRotation'], undefined],
    [
      'refuses a request on a remote host cluster',
      { rotate: 'front-proxy-ca/1', remote: true },
      [],
      'RotationUnsupported',
    ],
    [
      'refuses a request if the successor has no private key',
      {
        rotate: 'front-proxy-ca/1',
        reads: changed(INSTALLED, 'ca-backup', {
          'front-proxy-ca-successor.crt': undefined,
          'front-proxy-ca-successor.key': undefined,
        }),
      },
      [],
      'RotationUnsupported',
    ],
    [
      'refuses a request if clients trust a further CA',
      {
        rotate: 'front-proxy-ca/1',
        reads: changed(INSTALLED, 'cert', {
          'front-proxy-ca.crt': Buffer.from([A, B, C].map(pemOf).join('')).toString('base64'),
        }),
      },
      [],
      'RotationUnsupported',
    ],
    [
      'stores a leaf of the former CA',
      { rotation: rotationIn('Preparing'), reads: INSTALLED },
      ['issueCertificates'],
      'Preparing',
    ],
    ['switches when all servers accept the new CA', PREPARING, ['recordRotation'], 'Preparing'],
    [
      'waits for an aggregated API server that refuses the new CA',
      { ...PREPARING, trusts: { aggregated: [A] } },
      [],
      'Preparing',
    ],
    [
      'waits for an API server that refuses the new CA',
      { ...PREPARING, trusts: { apiserver: [A] } },
      [],
      'Preparing',
    ],
    ['waits until the ConfigMap has the new CA', { ...PREPARING, published: [A] }, [], 'Preparing'],
    [
      'waits while the ConfigMap is not read',
      { ...PREPARING, published: 'unread' },
      [],
      'Preparing',
    ],
    [
      'waits for clients after the switch',
      { rotation: rotationIn('Switching', { writtenAt: NOW - MINUTE }), reads: SWITCHED },
      [],
      'Switching',
    ],
    [
      'begins the overlap when all clients have loaded the new certificate',
      { rotation: rotationIn('Switching', WRITTEN), reads: SWITCHED },
      ['recordRotation'],
      'Switching',
    ],
    [
      'completes without a confirmation',
      { rotation: rotationIn('Overlap', WRITTEN), reads: OVERLAPPED },
      ['recordRotation'],
      'Overlap',
    ],
    [
      'edits the ConfigMap when each API server refuses the former CA',
      { ...COMPLETING, published: [A, B, C], trusts: { apiserver: [B, C], aggregated: [A, B, C] } },
      ['editSharedTrust'],
      'Completing',
    ],
    [
      'does not edit it while an API server accepts the former CA',
      { ...COMPLETING, published: [A, B, C], trusts: { apiserver: [A, B, C] } },
      [],
      'Completing',
    ],
    [
      'waits until the ConfigMap has been without the former CA for a minute',
      { ...COMPLETING, publishedAt: NOW - 30_000 },
      [],
      'Completing',
    ],
    [
      'does not end while the ConfigMap is not read',
      { ...COMPLETING, published: 'unread' },
      [],
      'Completing',
    ],
    [
      'does not end without the leaf of the former CA',
      {
        ...COMPLETING,
        reads: changed(COMPLETED, 'ca-backup', {
          'front-proxy-ca-probe.crt': undefined,
          'front-proxy-ca-probe.key': undefined,
        }),
      },
      [],
      'Completing',
    ],
    ['ends when all servers refuse the former CA', COMPLETING, ['recordRotation'], 'Completing'],
  ])('%s', async (_, world, actions, reason) => {
    const found = await run(world);
    expect([found.actions.map(({ kind }) => kind), found.condition?.reason]).toEqual([
      actions,
      reason,
    ]);
  });

  it('takes only the former CA out of the ConfigMap', async () => {
    const { actions } = await run({ ...COMPLETING, published: [A, B, C] });
    expect(actions).toMatchObject([
      {
        kind: 'editSharedTrust',
        data: { 'requestheader-client-ca-file': `${pemOf(B)}${pemOf(C)}` },
      },
    ]);
  });
});
