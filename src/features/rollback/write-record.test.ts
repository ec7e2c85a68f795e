import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { karmadaOf } from '../../instance/__fixtures__/instance.ts';
import { hashSecretValues } from '../../kubernetes/objects/cache-transform.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { readyRecord } from '../../instance/ready-record.ts';
import { readReadySpec, recordFailedChange, recordReadySpec } from './write-record.ts';

const KARMADA = karmadaOf({ version: 'v1.16.0', components: { karmadaSearch: {} } });
const FAILED = { specHash: 'a', step: 'crds', reason: 'b', message: 'c', at: 'd' };

function clientWith(secret?: KubernetesObject, error?: Error) {
  const calls: unknown[] = [];
  const answer = (...call: unknown[]): Promise<KubernetesObject> => {
    calls.push(call);
    return error ? Promise.reject(error) : Promise.resolve(secret as KubernetesObject);
  };
  const client = anyClient({
    create: (object) => answer('create', object),
    patch: (_, key, patch) => answer('patch', key, patch),
    find: () => {
      calls.push('find');
      return Promise.resolve(secret);
    },
  });
  return { calls, ...client };
}

/** The Secret that the executor creates. */
async function created(): Promise<KubernetesObject> {
  const client = clientWith();
  await recordReadySpec(client, { kind: 'recordReadySpec', karmada: KARMADA });
  const [, object] = client.calls[0] as [string, KubernetesObject];
  return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '7' } };
}

const conflict = (): ApiError =>
  new ApiError({ request: 'patch Secret', code: 409, reason: 'Conflict', message: 'changed' });

describe('record of the last ready spec', () => {
  it('contains the spec, which is read once', async () => {
    const secret = await created();
    const record = readyRecord([hashSecretValues(secret)], KARMADA);
    if (record === undefined) throw new Error('no record');
    const [client, instance] = [clientWith(secret), {}];
    expect(await readReadySpec(client, instance, record)).toEqual(KARMADA.spec);
    expect(await readReadySpec(client, instance, record)).toEqual(KARMADA.spec);
    expect(client.calls).toEqual(['find']);
  });

  it('is not used when the Secret is missing or contains another spec', async () => {
    const secret = await created();
    const record = readyRecord([secret], KARMADA);
    if (record === undefined) throw new Error('no record');
    const other = { ...secret, data: { 'spec.json': btoa('{}') } };
    for (const found of [undefined, other, { ...secret, data: { 'spec.json': '?' } }])
      expect(await readReadySpec(clientWith(found), {}, record)).toBeUndefined();
  });

  it('is written to the version that the decision is based on', async () => {
    const cached = await created();
    const client = clientWith(cached);
    expect(
      await recordFailedChange(client, { kind: 'recordFailedChange', cached, failed: FAILED }),
    ).toEqual({ writes: 1 });
    await recordReadySpec(client, { kind: 'recordReadySpec', karmada: KARMADA, cached });
    const patches = client.calls.map((call) => (call as [string, object, KubernetesObject])[2]);
    for (const { metadata } of patches)
      expect(metadata).toMatchObject({ uid: 'u', resourceVersion: '7' });
    expect(patches.map(({ metadata }) => metadata.annotations)).toEqual([
      { 'operator.karmada.io/failed-change': JSON.stringify(FAILED) },
      {
        'operator.karmada.io/failed-change': null,
        'operator.karmada.io/spec-hash':
          cached.metadata.annotations?.['operator.karmada.io/spec-hash'],
      },
    ]);
  });

  it('is not written when the Secret has changed since', async () => {
    const cached = await created();
    const client = clientWith(undefined, conflict());
    expect(
      await recordFailedChange(client, { kind: 'recordFailedChange', cached, failed: FAILED }),
    ).toEqual({});
    const error = new Error('no connection');
    await expect(
      recordReadySpec(clientWith(undefined, error), { kind: 'recordReadySpec', karmada: KARMADA }),
    ).rejects.toBe(error);
  });

  it.each([undefined, '{', '{}', '{"specHash":1}'])(
    'ignores the failed change %s',
    async (text) => {
      const secret = await created();
      const annotations = {
        ...secret.metadata.annotations,
        ...(text !== undefined && { 'operator.karmada.io/failed-change': text }),
      };
      const found = { ...secret, metadata: { ...secret.metadata, annotations } };
      expect(readyRecord([found], KARMADA)).not.toHaveProperty('failed');
    },
  );
});
