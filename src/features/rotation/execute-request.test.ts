import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { makeKey } from '../../pki/keys.ts';
import { deleteRequest, deleteRequests, requestCertificate } from './execute-request.ts';

const KEYS = { keys: { generate: () => makeKey('ec-p256') } };
const NAME = 'karmada-operator-rotation-0123456789abcdef';

/** A control plane that fails one kind of call. */
function controlPlane(failing?: 'create' | 'patch' | 'delete', code = 409) {
  const calls: [string, unknown][] = [];
  const call = (kind: typeof failing & string, given: unknown): Promise<void> => {
    calls.push([kind, given]);
    const error = new ApiError({ request: 'x', code, message: '', reason: '' });
    return kind === failing ? Promise.reject(error) : Promise.resolve();
  };
  const client = {
    create: async (object: KubernetesObject) => {
      await call('create', object);
      return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '7' } };
    },
    patch: async (_: unknown, key: object, patch: object, options: object) => {
      await call('patch', { key, patch, options });
      return patch;
    },
    delete: (_: unknown, key: object, options: object) => call('delete', { key, options }),
  };
  return { calls, instance: { client } as never };
}

describe('requestCertificate', () => {
  it('creates and approves its own request', async () => {
    const { calls, instance } = controlPlane();
    const action = { kind: 'requestCertificate', name: NAME } as const;
    expect(await requestCertificate(KEYS, instance, action)).toEqual({ writes: 2 });
    expect(calls).toMatchObject([
      [
        'create',
        {
          metadata: { name: NAME },
          spec: {
            signerName: 'kubernetes.io/kube-apiserver-client',
            usages: ['digital signature', 'client auth'],
            expirationSeconds: 600,
          },
        },
      ],
      [
        'patch',
        {
          key: { name: NAME },
          patch: {
            metadata: { uid: 'u', resourceVersion: '7' },
            status: { conditions: [{ type: 'Approved', status: 'True' }] },
          },
          options: { subresource: 'approval' },
        },
      ],
    ]);
  });

  it('does not approve a request of somebody else', async () => {
    const { calls, instance } = controlPlane('create');
    expect(
      await requestCertificate(KEYS, instance, { kind: 'requestCertificate', name: NAME }),
    ).toEqual({});
    expect(calls.map(([kind]) => kind)).toEqual(['create']);
  });

  it.each(['create', 'patch'] as const)('is repeated after a failed %s', async (failing) => {
    const { instance } = controlPlane(failing, 500);
    const action = { kind: 'requestCertificate', name: NAME } as const;
    await expect(requestCertificate(KEYS, instance, action)).rejects.toThrow(ApiError);
  });

  it('waits for a control plane', async () => {
    const action = { kind: 'requestCertificate', name: NAME } as const;
    expect(await requestCertificate(KEYS, undefined, action)).toEqual({});
  });
});

const REQUEST = {
  ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' },
  metadata: { name: NAME, uid: 'u', resourceVersion: '7' },
};

describe('deleteRequest', () => {
  it.each([
    [undefined, 0, { writes: 1 }],
    ['delete', 404, {}],
    ['delete', 409, {}],
  ] as const)('deletes what was read (%s %d)', async (failing, code, done) => {
    const { calls, instance } = controlPlane(failing, code);
    expect(await deleteRequest(instance, { kind: 'deleteRequest', request: REQUEST })).toEqual(
      done,
    );
    const options = { uid: 'u', resourceVersion: '7' };
    expect(calls).toEqual([['delete', { key: { name: NAME }, options }]]);
  });

  it('deletes all that a phase leaves', async () => {
    const { calls, instance } = controlPlane('delete', 404);
    await deleteRequests(instance, [NAME]);
    await deleteRequests(undefined, [NAME]);
    expect(calls).toEqual([['delete', { key: { name: NAME }, options: {} }]]);
    await expect(deleteRequests(controlPlane('delete', 500).instance, [NAME])).rejects.toThrow(
      ApiError,
    );
  });
});
