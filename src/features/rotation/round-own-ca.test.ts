import { describe, expect, it } from '@jest/globals';
import type { RoundInput } from '../../actions/round.ts';
import { COMPONENT } from '../../api/labels.ts';
import { NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isSignedBy } from '../../pki/certificate-info.ts';
import { constrainedCA } from '../../pki/__fixtures__/constrained-ca.ts';
import { makeKey } from '../../pki/keys.ts';
import type { KeyPair, SecretReads } from '../../pki/types.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import type { LeafAccess } from './ask-with-leaf.ts';
import type { Answer } from './facts.ts';
import type { RotationTools } from './observe.ts';
import { labelsOf } from './pod-facts.ts';
import type { Rotation } from './record.ts';
import { rotationRound } from './round.ts';
import { SHARED_TRUST } from './shared-trust.ts';
import { requestOfPhase } from './signed-request.ts';
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

const NAME = 'karmada-demo';
const { pems, leaves, rotationIn, ...phases } = await rotatedSecrets('ca');
const [A, B, C] = phases.roots;

const bundleOf = (roots: readonly string[]): string =>
  roots.map((root) => pems.get(root) ?? '').join('');
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const pairOf = ({ certificate, key }: KeyPair) => ({
  'ca.crt': base64(certificate),
  'ca.key': base64(key),
});

const valueOf = (role: 'cert' | 'ca-backup', key: string): string =>
  (phases.installed[role] as Readonly<Record<string, string>>)[key] ?? '';
const CUSTOM_KEYS = new Map([
  [A, valueOf('cert', 'ca.key')],
  [B, valueOf('ca-backup', 'ca-successor.key')],
]);

/** The Secret of a custom CA. @param signer whose private key it has */
const customOf = (signer: string, ...roots: readonly string[]) => ({
  'tls.crt': base64(bundleOf([signer, ...roots])),
  'tls.key': CUSTOM_KEYS.get(signer) ?? '',
});

const REFERENCE = { name: 'example-ca', namespace: 'team' };

/** A CA of a user, under which no other CA may be. */
const { pair: CONSTRAINED } = await constrainedCA('example', { pathLength: 0 });

interface World {
  /** Data of the Secret of the custom CA; `missing`: there is none. */
  readonly custom?: Readonly<Record<string, string>> | 'missing';
  /** Member clusters in pull mode. */
  readonly agents?: readonly string[];
  readonly rotate?: string;
  readonly rotation?: Rotation;
  readonly reads?: SecretReads;
  /** CAs that servers accept, by the end of their URL; A and B by default. */
  readonly trusts?: readonly string[];
  /** CA of the certificates of all servers, and those that differ. */
  readonly presents?: string;
  readonly webhookPresents?: string;
  /** CAs in the objects of the control plane; unread if it is not ready. */
  readonly published?: readonly string[] | 'unread';
  /** CAs in the ConfigMap, if they differ. */
  readonly shared?: readonly string[];
  /** Signer of the certificate request. */
  readonly signed?: string | 'unapproved';
  /** Start of all Pods. */
  readonly startedAt?: number;
  /** Creation of the Secrets. */
  readonly createdAt?: number;
}

const BASE = snapshotOf(wishOf(), [...wishOf().steps]);
const DEPLOYMENTS = BASE.host.objects.filter(({ kind }) => kind === 'Deployment');

/** Pods of the installed components that use the CA. */
const podsIn = ({ startedAt = NOW - 300 * MINUTE }: World): readonly KubernetesObject[] =>
  DEPLOYMENTS.flatMap(({ metadata, spec }) => {
    const component = metadata.labels?.[COMPONENT] ?? '';
    const { replicas = 1 } = spec as { replicas?: number };
    return labelsOf(['ca']).some((one) => one === component)
      ? Array.from({ length: replicas }, (_, index) => podOf(component, startedAt, index))
      : [];
  });

/** The certificate request of the phase. */
function requestIn({ rotation, signed }: World): readonly KubernetesObject[] {
  const name = rotation && requestOfPhase(rotation)?.name;
  if (signed === undefined || name === undefined) return [];
  const certificate = leaves.get(signed);
  const conditions = signed === 'unapproved' ? [] : [{ type: 'Approved' }];
  return [
    {
      ...{ apiVersion: 'x', kind: 'CertificateSigningRequest' },
      metadata: { name, creationTimestamp: new Date(NOW - 5 * MINUTE).toISOString() },
      status: {
        conditions,
        ...(certificate !== undefined && { certificate: base64(certificate) }),
      },
    },
  ];
}

/** Objects in the control plane. */
function objectsIn(world: World): readonly KubernetesObject[] {
  const { published = [A, B], shared = published } = world;
  if (published === 'unread' || shared === 'unread') return [];
  return [
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { 'client-ca-file': bundleOf(shared) } },
      metadata: {
        ...{ ...SHARED_TRUST, uid: 'shared', resourceVersion: '9' },
        managedFields: [{ time: new Date(NOW - 5 * MINUTE).toISOString() }],
      },
    },
    {
      ...{ apiVersion: 'x', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'x' } },
      webhooks: [{ clientConfig: { caBundle: base64(bundleOf(published)) } }],
    },
    ...requestIn(world),
  ];
}

function controlPlaneIn(world: World): object {
  const objects = objectsIn(world);
  const found = (kind: string): readonly KubernetesObject[] =>
    objects.filter((one) => one.kind === kind);
  type Listing = { readonly transform?: () => { reduce: (one: KubernetesObject) => unknown } };
  return {
    find: ({ kind }: { readonly kind: string }, { name }: { readonly name: string }) =>
      Promise.resolve(found(kind).find(({ metadata }) => metadata.name === name)),
    list: ({ kind }: { readonly kind: string }, { transform }: Listing) =>
      Promise.resolve({ items: found(kind).map((one) => transform?.().reduce(one)) }),
  };
}

/** Servers answer as the CAs say that they trust, and present what one of them signed. */
const answering = (world: World) => ({
  askLeaf: (question: string, { leaf }: LeafAccess): Promise<Answer> => {
    const { trusts = [A, B] } = world;
    const [own = ''] = certificateBlocks(leaf.certificate);
    const isTrusted = trusts.some((root) => isSignedBy(own, pems.get(root) ?? ''));
    const status = question === 'forbiddenCall' ? 403 : 201;
    return Promise.resolve(
      isTrusted ? { kind: 'status', status, isNamed: true } : { kind: 'status', status: 401 },
    );
  },
  present: (_: unknown, serverName: string) => {
    const { presents = A, webhookPresents = presents } = world;
    const root = serverName.includes('webhook') ? webhookPresents : presents;
    return Promise.resolve(leaves.get(root));
  },
});

function snapshotIn(
  { rotate, agents = [], custom }: World,
  secrets: readonly KubernetesObject[],
): object {
  return {
    ...BASE,
    host: { ...BASE.host, objects: [...BASE.host.objects, ...secrets] },
    ...(custom && {
      spec: { ...BASE.spec, customCertificate: { apiServerCACert: REFERENCE } },
    }),
    memberClusters: [
      { name: 'pushed', syncMode: 'Push', ready: 'True' },
      ...agents.map((name) => ({ name, syncMode: 'Pull', ready: 'True' })),
    ],
    karmada: readyKarmada(rotate),
  };
}

function toolsIn(world: World, secrets: readonly KubernetesObject[]): RotationTools {
  const { custom } = world;
  const given =
    typeof custom === 'object'
      ? [{ apiVersion: 'v1', kind: 'Secret', metadata: REFERENCE, data: custom }]
      : [];
  const stored: readonly KubernetesObject[] = [...secrets, ...given, ...DEPLOYMENTS];
  const client = {
    find: (_: unknown, { name }: { readonly name: string }) =>
      Promise.resolve(stored.find(({ metadata }) => metadata.name === name)),
    list: () => Promise.resolve({ items: podsIn(world) }),
  };
  return {
    ...{ host: { client }, clock, userAgent: '', ...answering(world) },
    keys: { generate: () => makeKey('ec-p256') },
    secretPolicy: { crossNamespace: 'Any', madeFor: () => undefined },
  } as object as RotationTools;
}

type KnownState = Parameters<NonNullable<typeof rotationRound.decide>>[0];

async function run(world: World) {
  const { reads = phases.installed, rotation, createdAt = NOW } = world;
  const secrets = secretsIn({ reads, rotation, createdAt });
  const snapshot = snapshotIn(world, secrets);
  const pki = { ...INPUT, customAuthority: world.custom !== undefined };
  const known = { snapshot, pki, view: VIEW } as object as KnownState;
  const instance = {
    ...{ key: `team/${NAME}`, settled: new Map<string, string>() },
    ...(world.published !== 'unread' && { controlPlane: { client: controlPlaneIn(world) } }),
  } as object as RoundInput['instance'];
  const read = await rotationRound.observe?.(toolsIn(world, secrets), known, instance);
  const input: RoundInput = { instance, clock, random: () => 0 };
  return resultOf(rotationRound.decide?.({ ...known, ...read }, input));
}

const PREPARING: World = { rotation: rotationIn('Preparing', WRITTEN), reads: phases.prepared };
const CUSTOM: World = {
  rotation: rotationIn('Preparing', { ...WRITTEN, custom: true }),
  reads: changed(phases.prepared, 'ca-backup', {
    ...{ 'ca-successor.crt': undefined, 'ca-successor.key': undefined },
  }),
  startedAt: NOW - 10 * MINUTE,
};
const SWITCHING: World = {
  ...{ rotation: rotationIn('Switching', WRITTEN), reads: phases.switched, presents: B },
  startedAt: NOW - 10 * MINUTE,
};
const OVERLAP: World = {
  ...{ ...SWITCHING, reads: phases.overlapped },
  rotation: rotationIn('Overlap', { ...WRITTEN, completion: 'confirmed' }),
};
const COMPLETING: World = {
  rotation: rotationIn('Completing', { ...WRITTEN, next: C }),
  ...{ reads: phases.completed, presents: B, trusts: [B, C], published: [B, C] },
  startedAt: NOW - 10 * MINUTE,
};

describe('the round of a rotation of ca', () => {
  it.each<[string, World, readonly string[], string | undefined]>([
    ['records a request', { rotate: 'ca/1' }, ['recordRotation'], undefined],
    [
      'certifies the new CA',
      { rotation: rotationIn('Preparing'), reads: phases.installed },
      ['issueCertificates'],
      'Preparing',
    ],
    ['switches when everything trusts the new CA', PREPARING, ['recordRotation'], 'Preparing'],
    ['waits for a server that refuses the new CA', { ...PREPARING, trusts: [A] }, [], 'Preparing'],
    ['waits for an object without the new CA', { ...PREPARING, published: [A] }, [], 'Preparing'],
    [
      'names the command if components started before the Secrets had the new CA',
      { ...PREPARING, createdAt: NOW - 1_440 * MINUTE },
      [],
      'RotationRestartRequired',
    ],
    [
      'asks for the private key of a custom CA',
      { ...CUSTOM, custom: customOf(A, B) },
      [],
      'CustomKeyRequired',
    ],
    [
      'asks for it while the Secret of the custom CA is missing',
      { ...CUSTOM, custom: 'missing' },
      [],
      'CustomKeyRequired',
    ],
    [
      'copies the private key of a custom CA',
      { ...CUSTOM, custom: customOf(B, A) },
      ['issueCertificates'],
      'Preparing',
    ],
    [
      'waits for Pods that started before the Secrets had a custom CA',
      { ...CUSTOM, custom: customOf(A, B), startedAt: NOW - 60 * MINUTE },
      [],
      'RotationRestartRequired',
    ],
    ['waits while objects are not read', { ...PREPARING, published: 'unread' }, [], 'Preparing'],
    [
      'requests nothing before kube-controller-manager has the new CA',
      {
        ...{ ...SWITCHING, startedAt: NOW - MINUTE / 3 },
        rotation: rotationIn('Switching', { writtenAt: NOW - 2 * MINUTE }),
      },
      [],
      'Switching',
    ],
    ['requests a certificate after the switch', SWITCHING, ['requestCertificate'], 'Switching'],
    ['replaces one by the former CA', { ...SWITCHING, signed: A }, ['deleteRequest'], 'Switching'],
    [
      'replaces a request that a crash has left',
      { ...SWITCHING, signed: 'unapproved' },
      ['deleteRequest'],
      'Switching',
    ],
    ['waits for the certificate', { ...SWITCHING, signed: 'nobody' }, [], 'Switching'],
    [
      'waits for a server that presents the former CA',
      { ...SWITCHING, signed: B, webhookPresents: A },
      [],
      'Switching',
    ],
    [
      'restarts components that started with certificates of the former CA',
      { ...SWITCHING, signed: B, startedAt: NOW - 19 * MINUTE },
      [],
      'Switching',
    ],
    [
      'begins the overlap when the new CA is used everywhere',
      { ...SWITCHING, signed: B },
      ['recordRotation'],
      'Switching',
    ],
    [
      'awaits the confirmation of a user',
      { ...OVERLAP, rotation: rotationIn('Overlap', WRITTEN), signed: B },
      [],
      'ConfirmationRequired',
    ],
    ['requests a certificate after the confirmation', OVERLAP, ['requestCertificate'], 'Overlap'],
    ['completes with it', { ...OVERLAP, signed: B }, ['recordRotation'], 'Overlap'],
    [
      'edits the ConfigMap when API servers refuse the former CA',
      { ...COMPLETING, shared: [A, B, C] },
      ['editSharedTrust'],
      'Completing',
    ],
    [
      'restarts components that started with the former CA',
      { ...COMPLETING, startedAt: NOW - 19 * MINUTE },
      [],
      'Completing',
    ],
    [
      'waits for an object with the former CA',
      { ...COMPLETING, published: [A, B, C], shared: [B, C] },
      [],
      'Completing',
    ],
    [
      'ends when nothing accepts or names the former CA',
      COMPLETING,
      ['recordRotation'],
      'Completing',
    ],
  ])('%s', async (_, world, actions, reason) => {
    const found = await run(world);
    expect([found.actions.map(({ kind }) => kind), found.condition?.reason]).toEqual([
      actions,
      reason,
    ]);
  });

  it.each<[string, World, string]>([
    [
      'a custom CA whose Secret is missing',
      { custom: 'missing' },
      'ca: Secret team/example-ca: not found; ',
    ],
    [
      'a custom CA whose Secret has no other one',
      { custom: customOf(A) },
      'ca: Secret team/example-ca: contains no CA besides the one in use; append',
    ],
    [
      'a custom CA whose Secret has one that ends at the same time',
      { custom: customOf(A, B) },
      'does not expire after the CA in use',
    ],
    [
      'a successor without its private key',
      {
        reads: changed(phases.installed, 'ca-backup', {
          'ca-successor.crt': undefined,
          'ca-successor.key': undefined,
        }),
      },
      'restore the Secret from a backup',
    ],
    [
      'a CA of others in a bundle',
      {
        reads: changed(phases.installed, 'cert', { 'ca.crt': base64(bundleOf([A, B, C])) }),
      },
      'take them out of the Secret',
    ],
    [
      'a CA below which no other one may be',
      {
        reads: changed(
          changed(phases.installed, 'cert', pairOf(CONSTRAINED)),
          'ca-backup',
          pairOf(CONSTRAINED),
        ),
      },
      'clients with a copy of it would not accept its successor: the CA certificate "CN=',
    ],
  ])('refuses a request with %s, and says what to do', async (_, world, message) => {
    const { actions, condition } = await run({ ...world, rotate: 'ca/1' });
    expect(actions).toEqual([]);
    expect(condition).toMatchObject({ status: 'False', reason: 'RotationUnsupported' });
    expect(condition?.message).toContain(message);
    expect(condition?.message).toContain('take the annotation operator.karmada.io/rotate off');
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      'names agents before',
      ['rome', 'oslo'],
      /: the agents of the member clusters rome, oslo need/,
    ],
    ['says only how to end', [], /\): to end the trust in the former root, annotate the Karmada/],
  ])('%s the overlap ends', async (_, agents, message) => {
    const { condition } = await run({
      ...OVERLAP,
      rotation: rotationIn('Overlap', WRITTEN),
      agents,
    });
    expect(condition?.message).toMatch(message);
  });

  it.each<[string, World, readonly string[]]>([
    [
      'a scheduler that may have read a certificate of the new CA before an abort',
      {
        ...{ ...PREPARING, startedAt: NOW - 19 * MINUTE, signed: A },
        rotation: rotationIn('Preparing', {
          ...{ ...WRITTEN, returns: true, switchedAt: NOW - 30 * MINUTE },
        }),
      },
      ['karmada-scheduler'],
    ],
    [
      'no component after the abort of the last phase, because all were proven to use the new CA',
      {
        ...{ ...OVERLAP, startedAt: NOW - 300 * MINUTE, signed: B },
        rotation: rotationIn('Overlap', { ...WRITTEN, completion: 'confirmed', used: true }),
      },
      [],
    ],
    [
      'no component before the new CA signs, which a user decides',
      { ...PREPARING, createdAt: NOW - 1_440 * MINUTE },
      [],
    ],
  ])('restarts %s', async (_, world, components) => {
    const { restarts } = await run(world);
    expect([...(restarts ?? [])]).toEqual(components.map((name) => [name, WRITTEN.writtenAt]));
  });

  it('deletes the request with its phase', async () => {
    const { actions } = await run({ ...SWITCHING, signed: B });
    const { name } = requestOfPhase(rotationIn('Switching', WRITTEN)) ?? {};
    expect(actions).toMatchObject([{ kind: 'recordRotation', endedRequests: [name] }]);
  });

  it('takes only the former CA out of the ConfigMap', async () => {
    const { actions } = await run({ ...COMPLETING, shared: [A, B, C] });
    expect(actions).toMatchObject([{ data: { 'client-ca-file': bundleOf([B, C]) } }]);
  });
});
