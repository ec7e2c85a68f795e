import { describe, expect, it } from '@jest/globals';
import { FINALIZER, type Karmada } from '../../api/karmada.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';
import { storeDefaultsAndFinalizer } from './store-defaults.ts';

const FIELDS = [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': {} } }];

const karmada = (metadata: Partial<ObjectMeta> = {}): Karmada => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: {
    ...{ name: 'demo', namespace: 'team', uid: 'u', generation: 1, resourceVersion: '7' },
    ...metadata,
  },
  spec: {},
});

const refusal = (code: number): ApiError =>
  new ApiError({ request: 'PATCH', code, reason: 'Conflict', message: 'no' });

interface Case {
  readonly cached: Karmada;
  readonly live?: Karmada;
  /** Response to a write of the cached version. */
  readonly refusal?: number;
  readonly requests: readonly string[];
  readonly isGone?: true;
}

/** Stores the defaults with a client that has `live`. @returns requests and the result */
async function storing({ cached, live = cached, refusal: code }: Case) {
  const requests: string[] = [];
  const client = {
    find: () => {
      requests.push('read');
      return Promise.resolve(live.metadata.uid === '' ? undefined : live);
    },
    apply: (intent: Karmada) => {
      const { resourceVersion = '', finalizers } = intent.metadata;
      requests.push(`write to ${resourceVersion}`);
      const isRefused = code !== undefined && resourceVersion === cached.metadata.resourceVersion;
      if (isRefused) return Promise.reject(refusal(code));
      const metadata = { ...live.metadata, finalizers, generation: 2, resourceVersion: '9' };
      return Promise.resolve({ ...live, metadata });
    },
  };
  const instance = {} as InstanceCache;
  const host = { pods: { cache: { list: () => [] } } } as never as Host;
  const tools = { local: { client: client as never }, host };
  const stored = await storeDefaultsAndFinalizer(tools, instance, cached);
  return { requests, stored, instance };
}

describe('storeDefaultsAndFinalizer', () => {
  const fresh = karmada({ managedFields: FIELDS });
  const cases: readonly (readonly [string, Case])[] = [
    [
      'writes to a new Karmada without a read, because the cache has its managed fields',
      { cached: fresh, requests: ['write to 7'] },
    ],
    [
      'reads a new Karmada that has changed since the cache was written',
      {
        cached: fresh,
        live: karmada({ managedFields: FIELDS, resourceVersion: '8' }),
        refusal: 409,
        requests: ['write to 7', 'read', 'write to 8'],
      },
    ],
    [
      'writes nothing to a new Karmada that was deleted',
      {
        cached: fresh,
        live: karmada({ uid: '' }),
        refusal: 404,
        requests: ['write to 7', 'read'],
        isGone: true,
      },
    ],
    [
      'writes nothing to another Karmada with the same name',
      {
        cached: fresh,
        live: karmada({ uid: 'other', managedFields: FIELDS, resourceVersion: '8' }),
        refusal: 409,
        requests: ['write to 7', 'read'],
        isGone: true,
      },
    ],
    [
      'reads a Karmada whose managed fields the cache lacks',
      {
        cached: karmada({ finalizers: [FINALIZER] }),
        live: karmada({ finalizers: [FINALIZER], managedFields: FIELDS }),
        requests: ['read', 'write to 7'],
      },
    ],
  ];

  it.each(cases)('%s', async (_, given) => {
    const { requests, stored, instance } = await storing(given);
    expect(requests).toEqual(given.requests);
    expect(stored === undefined).toBe(given.isGone === true);
    expect(instance.prepared === undefined).toBe(given.isGone === true);
  });

  it('reports an error of the write that is no conflict', async () => {
    const given = { cached: fresh, refusal: 500, requests: [] };
    await expect(storing(given)).rejects.toMatchObject({ code: 500 });
  });
});
