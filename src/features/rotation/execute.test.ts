import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../kubernetes/client/errors.ts';
import { recordRotation } from './execute.ts';

const ACTION = {
  kind: 'recordRotation',
  backup: {
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { name: 'demo-ca-backup', namespace: 'team', uid: 'u', resourceVersion: '7' },
  },
  ...{ value: '{}', message: 'next phase', isLast: false, endedRequests: ['x'] },
} as const;

/** @param code with which the write of the record fails */
async function run(code?: number) {
  const calls: string[] = [];
  const call = (name: string, failure?: number): Promise<never> => {
    calls.push(name);
    return failure === undefined
      ? Promise.resolve(undefined as never)
      : Promise.reject(new ApiError({ request: 'x', code: failure, reason: '', message: '' }));
  };
  const host = { client: { patch: () => call('record', code) } };
  const client = { delete: () => call('delete'), create: () => call('create') };
  const log = { info: () => undefined };
  const done = await recordRotation({ host, log } as never, { client }, ACTION);
  return { calls, done };
}

describe('recordRotation', () => {
  it('deletes the request of the former phase after the record', async () => {
    expect(await run()).toEqual({ calls: ['record', 'delete'], done: { writes: 1 } });
  });

  it('keeps the request if the record is not written', async () => {
    expect(await run(409)).toEqual({ calls: ['record'], done: {} });
    await expect(run(500)).rejects.toThrow(ApiError);
  });
});
