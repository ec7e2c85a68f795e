import { describe, expect, it } from '@jest/globals';
import { bootstrap } from '../../controlplane/bootstrap.ts';
import { webhookConfigurations } from '../../controlplane/webhook-configurations.ts';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { ListOptions } from '../../kubernetes/client/client-interface.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { ResourceType } from '../../kubernetes/objects/resources.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { decode, INPUTS, issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import { readControlPlane } from './read-control-plane.ts';
import type { Rotation } from './record.ts';
import { requestOfPhase } from './signed-request.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const READS = readsOf(ready(await ensureCertificates(request(), issuance(new Date(NOW)))));
const BUNDLE = decode(READS.cert, 'ca.crt');
const FACTS = authorityFacts(INPUTS, 'ca', READS, new Date(NOW));
const [A, B] = [FACTS?.active.sha256 ?? '', FACTS?.successor?.sha256 ?? ''];
const encoded = (pem: string): string => Buffer.from(pem, 'utf8').toString('base64');

const INPUT = {
  ...{
    name: 'demo',
    namespace: 'team-a',
    spec: defaultSpec({}, { defaultStorageClass: false }),
    caBundle: BUNDLE,
  },
  externalServer: 'https://karmada.example.com:5443',
};

const object = (kind: string, name: string, more: object): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind, metadata: { name, labels: { of: 'demo' } } },
  ...more,
});

const conversionTo = (caBundle: unknown): object => ({
  spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: { caBundle } } } },
});

const ROTATION: Rotation = {
  ...{ authority: 'ca', phase: 'Switching', from: A, to: B, since: NOW - 3_600_000 },
  writtenAt: NOW - 600_000,
};

interface Read {
  readonly type: ResourceType;
  readonly options: ListOptions | undefined;
}

function clientWith(objects: readonly KubernetesObject[]) {
  const lists: Read[] = [];
  const list = (type: ResourceType, options: ListOptions) => {
    lists.push({ type, options });
    const transform = options.transform?.();
    const items = objects.filter(({ kind }) => kind === type.kind);
    return Promise.resolve({ items: items.flatMap((one) => transform?.reduce(one) ?? []) });
  };
  const find = ({ kind }: ResourceType, { name }: { readonly name: string }) =>
    Promise.resolve(objects.find((one) => one.kind === kind && one.metadata.name === name));
  return { lists, client: { list, find } as never };
}

const clock = manualClock(NOW);
const read = (objects: readonly KubernetesObject[], rotation = ROTATION) =>
  readControlPlane({ client: clientWith(objects).client, clock, karmada: 'demo' }, rotation);

describe('readControlPlane', () => {
  it('reads the CAs of what the operator renders', async () => {
    const rendered = [...bootstrap(INPUT), ...webhookConfigurations(INPUT)];
    const { objects } = await read(rendered);
    const names = objects.map(({ name }) => name.split(' ')[0]);
    expect(new Set(names)).toEqual(
      new Set(['ConfigMap', 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']),
    );
    for (const { roots, kind } of objects) expect([roots, kind]).toEqual([[A, B], 'bundle']);
  });

  it.each<[string, KubernetesObject, readonly (readonly string[])[]]>([
    [
      'an APIService',
      object('APIService', 'v1.x', { spec: { caBundle: encoded(BUNDLE) } }),
      [[A, B]],
    ],
    ['an APIService without one', object('APIService', 'v1.', { spec: {} }), []],
    [
      'a conversion',
      object('CustomResourceDefinition', 'x', conversionTo(encoded(BUNDLE))),
      [[A, B]],
    ],
    ['a CRD without a conversion', object('CustomResourceDefinition', 'x', { spec: {} }), []],
    ['a field of another type', object('CustomResourceDefinition', 'x', conversionTo(7)), []],
    [
      'a bundle with a comment',
      object('APIService', 'v1.x', { spec: { caBundle: encoded(`# 1\n${BUNDLE}`) } }),
      [[A, B]],
    ],
    [
      'each bundle of an object that has different ones',
      object('ValidatingWebhookConfiguration', 'x', {
        webhooks: [BUNDLE, BUNDLE, certificateBlocks(BUNDLE)[0] ?? ''].map((pem) => ({
          clientConfig: { caBundle: encoded(pem) },
        })),
      }),
      [[A, B], [A]],
    ],
    [
      'webhooks of another type',
      object('ValidatingWebhookConfiguration', 'x', { webhooks: 7 }),
      [],
    ],
  ])('reads %s', async (_, found, roots) => {
    const { objects } = await read([found]);
    expect(objects.map((one) => one.roots)).toEqual(roots);
    for (const one of objects)
      expect(one).toMatchObject({
        name: `${found.kind} ${found.metadata.name}`,
        observedAt: clock.monotonic(),
      });
  });

  it('proves nothing with a large bundle, or with many different ones', async () => {
    const large = object('APIService', 'large', {
      spec: { caBundle: encoded(BUNDLE.repeat(20)) },
    });
    const many = Array.from({ length: 40 }, (_, index) =>
      object('APIService', `v${String(index)}`, {
        spec: { caBundle: encoded(`# ${String(index)}\n${BUNDLE}`) },
      }),
    );
    const unread = (await read([large, ...many])).objects.filter(
      ({ observedAt }) => observedAt === -Infinity,
    );
    expect(unread[0]?.name).toBe('APIService large');
    // Of the other 40, the first 31 are read.
    expect(unread).toHaveLength(1 + 9);
  });

  it('lists only objects of the operator', async () => {
    const { lists, client } = clientWith([]);
    await readControlPlane({ client, clock, karmada: 'demo' }, ROTATION);
    for (const { options } of lists)
      expect(options?.labelSelector).toBe(
        'app.kubernetes.io/managed-by=karmada-operator,app.kubernetes.io/instance=demo',
      );
    expect(lists).toHaveLength(4);
  });

  it('proves nothing without a control plane', async () => {
    const { objects } = await readControlPlane(
      { client: undefined, clock, karmada: 'demo' },
      ROTATION,
    );
    expect(objects).toMatchObject([{ observedAt: -Infinity }]);
  });

  it('reads the request of the phase, and of no other', async () => {
    const found = object('CertificateSigningRequest', requestOfPhase(ROTATION)?.name ?? '', {});
    expect((await read([found])).request).toEqual({
      request: found,
      observedAt: clock.monotonic(),
    });
    expect((await read([])).request).toEqual({ observedAt: clock.monotonic() });
    expect((await read([found], { ...ROTATION, phase: 'Completing' })).request).toBeUndefined();
  });

  it('fails if one of them cannot be read', async () => {
    const error = new ApiError({ request: 'x', code: 500, reason: '', message: '' });
    const client = { list: () => Promise.reject(error), find: () => Promise.resolve(undefined) };
    const reading = { client: client as never, clock, karmada: 'demo' };
    await expect(readControlPlane(reading, ROTATION)).rejects.toBe(error);
  });
});
