import { describe, expect, it } from '@jest/globals';
import { HOST_LIMITS, isTooLarge } from '../client/limits.ts';
import { listAll } from '../client/list.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { onlyThose, reducedTo } from './reduced-list.ts';

const MIB = 1_048_576;

const objectOf = (name: string, note = ''): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  metadata: { name, namespace: 'team', annotations: { note } },
});

/** Reads a list of as many objects of 1 MiB as given. */
const listed = (count: number, options: ReturnType<typeof onlyThose>) =>
  listAll(
    ({ continue: token = '0' }) =>
      Promise.resolve({
        resourceVersion: '1',
        items: [objectOf(`n${token}`, 'x'.repeat(MIB))],
        size: MIB,
        ...(Number(token) + 1 < count && { continue: String(Number(token) + 1) }),
      }),
    { request: 'list x', limit: HOST_LIMITS.list, ...options },
  );

describe('lists that keep only what a reconcile needs', () => {
  it('have room for any other objects of the namespace', async () => {
    const { items } = await listed(
      200,
      onlyThose(({ metadata }) => metadata.name === 'n150'),
    );
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['n150']);
  });

  it('keep the needed fields of all objects', async () => {
    const named = reducedTo(({ apiVersion, kind, metadata: { name } }) => ({
      ...{ apiVersion, kind },
      metadata: { name },
    }));
    expect((await listed(200, named)).items).toHaveLength(200);
  });

  it('fail when they would keep too much', async () => {
    const error: unknown = await listed(
      200,
      onlyThose(() => true),
    ).catch((reason: unknown) => reason);
    expect(isTooLarge(error)).toBe(true);
  });
});

it('the limits of a response keep the time of its parsing far below a second', () => {
  expect(HOST_LIMITS.answer).toBeLessThanOrEqual(8 * MIB);
  expect(HOST_LIMITS.line).toBeLessThanOrEqual(8 * MIB);
});
