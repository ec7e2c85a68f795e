import { describe, expect, it } from '@jest/globals';
import type { KubernetesClient } from '../client/client-interface.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { resources } from '../objects/resources.ts';
import { WholeObjects } from './whole-objects.ts';

const crd = (name: string, resourceVersion = '1'): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name, uid: name, resourceVersion },
});

/** @param selector of lists @param failure error of lists */
function setUp(selector?: string, failure?: Error) {
  const requests: string[] = [];
  const live = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...crd(name), spec: { name } }));
  const client = {
    find: (_: unknown, { name }: { name: string }) => {
      requests.push(`get ${name}`);
      return Promise.resolve(live.find(({ metadata }) => metadata.name === name));
    },
    list: () => {
      requests.push('list');
      return failure
        ? Promise.reject(failure)
        : Promise.resolve({ resourceVersion: '1', items: live });
    },
  } as unknown as KubernetesClient;
  const objects = new WholeObjects(client, selector);
  const read = (...partial: readonly KubernetesObject[]) =>
    Promise.all(partial.map((one) => objects.read(resources.CustomResourceDefinition, one)));
  return { requests, read };
}

const NAMES = ['a', 'b', 'c', 'd', 'e'];

describe('WholeObjects', () => {
  it('reads many objects of a kind with one list', async () => {
    const { requests, read } = setUp('ours');
    const found = await read(...NAMES.map((name) => crd(name)));
    expect(found.map((one) => one?.['spec'])).toEqual(NAMES.map((name) => ({ name })));
    expect(requests).toEqual(['list']);
  });

  it('reads an object of another version than the cached one by itself', async () => {
    const { requests, read } = setUp('ours');
    await read(crd('a', '2'), ...NAMES.slice(1).map((name) => crd(name)));
    expect(requests).toEqual(['list', 'get a']);
  });

  it.each<[string, string | undefined, readonly string[]]>([
    ['few objects', 'ours', ['a', 'b']],
    ['objects without a selector', undefined, NAMES],
  ])('reads %s one by one', async (_, selector, names) => {
    const { requests, read } = setUp(selector);
    await read(...names.map((name) => crd(name)));
    expect(requests).toEqual(names.map((name) => `get ${name}`));
  });

  it('reads objects one by one when the list fails', async () => {
    const { requests, read } = setUp('ours', new Error('too large'));
    await read(...NAMES.map((name) => crd(name)));
    expect(requests).toEqual(['list', ...NAMES.map((name) => `get ${name}`)]);
  });

  it('lists again for later reads', async () => {
    const { requests, read } = setUp('ours');
    for (let round = 0; round < 2; round += 1) await read(...NAMES.map((name) => crd(name)));
    expect(requests).toEqual(['list', 'list']);
  });
});
