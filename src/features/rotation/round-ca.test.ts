import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { RoundInput } from '../../actions/round.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Dial } from '../../etcd/dial.ts';
import { NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { ForwardError } from '../../kubernetes/client/port-forward.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isSignedBy } from '../../pki/certificate-info.ts';
import { makeKey } from '../../pki/keys.ts';
import type { SecretReads } from '../../pki/types.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import type { LeafAccess } from './ask-with-leaf.ts';
import type { Answer } from './facts.ts';
import type { RotationTools } from './observe.ts';
import { labelsOf } from './pod-facts.ts';
import type { Rotation } from './record.ts';
import { rotationRound } from './round.ts';
import { SHARED_TRUST } from './shared-trust.ts';
import { podOf } from './__fixtures__/objects.ts';
import { clock, readyKarmada, resultOf } from './__fixtures__/round.ts';
import {
  changed,
  INPUT,
  MINUTE,
  rotatedSecrets,
  secretsIn,
  WRITTEN,
} from './__fixtures__/rotated-secrets.ts';

const { pems, rotationIn, ...phases } = await rotatedSecrets('front-proxy-ca');
const [A, B, C] = phases.roots;
const pemOf = (root: string): string => pems.get(root) ?? '';

interface World {
  readonly rotate?: string;
  readonly rotation?: Rotation;
  readonly reads?: SecretReads;
  /** CAs that the servers accept, by component; A and B by default. */
  readonly trusts?: Readonly<Record<string, readonly string[]>>;
  /** CAs in the ConfigMap; absent if it cannot be read. */
  readonly published?: readonly string[] | 'unread';
  readonly publishedAt?: number;
  /** Suffixes of the components to whose Pods a remote host cluster forwards no port; absent for the management cluster. */
  readonly forbidden?: readonly string[];
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
  return labelsOf(['front-proxy-ca']).some((one) => one === component)
    ? Array.from({ length: replicas }, (_, index) => podOf(component, NOW - 300 * MINUTE, index))
    : [];
});

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
  return {
    ...BASE,
    host: { ...BASE.host, objects: [...BASE.host.objects, ...secrets] },
    karmada: readyKarmada(world.rotate),
  } as object as Snapshot;
}

function instanceIn(world: World): RoundInput['instance'] {
  const controlPlane = { client: { find: () => Promise.resolve(configMapIn(world)) } };
  return {
    ...{ key: 'team/karmada-demo', settled: new Map<string, string>() },
    ...(world.published !== 'unread' && { controlPlane }),
  } as object as RoundInput['instance'];
}

/** Forwards ports to Pods as a remote host cluster with rights of its own. */
const remoteIn = ({ forbidden = [] }: World) => ({
  forward: ({ pod }: { readonly pod: string }) =>
    forbidden.some((component) => pod.includes(component))
      ? Promise.reject(new ForwardError(`forward to pod ${pod}`, 'HTTP 403', 403))
      : Promise.resolve(new PassThrough()),
});

async function presenting(dial: Dial): Promise<string> {
  (await dial(AbortSignal.timeout(1_000))).destroy();
  return '';
}

async function run(world: World) {
  const { reads = phases.installed, rotation } = world;
  const secrets = secretsIn({ reads, rotation });
  const snapshot = snapshotIn(world, secrets);
  const stored = [...secrets, ...DEPLOYMENTS];
  const client = {
    find: (_: unknown, { name }: { readonly name: string }) =>
      Promise.resolve(stored.find(({ metadata }) => metadata.name === name)),
    list: () => Promise.resolve({ items: PODS }),
  };
  const tools = {
    host: { client, ...(world.forbidden && { remote: remoteIn(world) }) },
    ...{ clock, userAgent: '', askLeaf: answering(world) },
    present: presenting,
    keys: { generate: () => makeKey('ec-p256') },
  };
  const known = { snapshot, pki: INPUT, view: VIEW };
  const instance = instanceIn(world);
  const read = await rotationRound.observe?.(tools as object as RotationTools, known, instance);
  const input: RoundInput = { instance, clock, random: () => 0 };
  return resultOf(rotationRound.decide?.({ ...known, ...read }, input));
}

const COMPLETING: World = {
  rotation: rotationIn('Completing', { ...WRITTEN, next: C }),
  reads: phases.completed,
  trusts: { apiserver: [B, C], aggregated: [B, C] },
  published: [B, C],
};
const PREPARING: World = { rotation: rotationIn('Preparing', WRITTEN), reads: phases.prepared };

describe('the round of a rotation of front-proxy-ca', () => {
  it.each<[string, World, readonly string[], string | undefined]>([
    ['records a request', { rotate: 'front-proxy-ca/1' }, ['recordRotation'], undefined],
    [
      'records a request on a remote host cluster',
      { rotate: 'front-proxy-ca/1', forbidden: ['webhook'] },
      ['recordRotation'],
      undefined,
    ],
    [
      'waits for the right to reach a Pod on a remote host cluster',
      { rotate: 'front-proxy-ca/1', forbidden: ['aggregated-apiserver'] },
      [],
      'RotationNotObserved',
    ],
    [
      'goes on with what a remote host cluster permits, once it has begun',
      { ...PREPARING, forbidden: ['aggregated-apiserver'] },
      ['recordRotation'],
      'Preparing',
    ],
    [
      'refuses a request if the successor has no private key',
      {
        rotate: 'front-proxy-ca/1',
        reads: changed(phases.installed, 'ca-backup', {
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
        reads: changed(phases.installed, 'cert', {
          'front-proxy-ca.crt': Buffer.from([A, B, C].map(pemOf).join('')).toString('base64'),
        }),
      },
      [],
      'RotationUnsupported',
    ],
    [
      'stores a leaf of the former CA',
      { rotation: rotationIn('Preparing'), reads: phases.installed },
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
      { rotation: rotationIn('Switching', { writtenAt: NOW - MINUTE }), reads: phases.switched },
      [],
      'Switching',
    ],
    [
      'begins the overlap when all clients have loaded the new certificate',
      { rotation: rotationIn('Switching', WRITTEN), reads: phases.switched },
      ['recordRotation'],
      'Switching',
    ],
    [
      'completes without a confirmation',
      { rotation: rotationIn('Overlap', WRITTEN), reads: phases.overlapped },
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
        reads: changed(phases.completed, 'ca-backup', {
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
