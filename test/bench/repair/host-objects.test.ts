import { describe, expect, it } from '@jest/globals';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import {
  hostDeletion,
  hostEdit,
  hostObjects,
  timeOfRepair,
  type HostObject,
} from './host-objects.ts';
import { anyClient } from '../../../src/kubernetes/client/any-client.fixture.ts';

const of = (type: ResourceType, kind: string, more: object): HostObject => ({
  type,
  object: {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'a', namespace: 'team', uid: '1' },
    ...more,
  },
});

const deployment = of(resources.Deployment, 'Deployment', { spec: { revisionHistoryLimit: 2 } });
const service = of(resources.Service, 'Service', {
  spec: { ports: [{ port: 443, targetPort: 5443 }, { port: 80 }] },
});
const secret = of(resources.Secret, 'Secret', { data: { b: 'Yg==', a: 'YQ==' } });
const statefulSet = of(resources.StatefulSet, 'StatefulSet', { spec: {} });

/** A client that applies merge patches to one object, and an operator that restores it after some reads. */
function scene({ object }: HostObject, reads: number) {
  let now: KubernetesObject | undefined = object;
  let left = reads;
  const patches: object[] = [];
  const client = anyClient({
    patch: (_, _key, patch) => {
      patches.push(patch);
      const { spec, data } = patch as { readonly spec?: object; readonly data?: object };
      now = {
        ...object,
        ...(spec && { spec: { ...(object['spec'] as object), ...spec } }),
        ...(data && { data: { ...(object['data'] as object), ...data } }),
      };
      return Promise.resolve(now);
    },
    delete: () => Promise.resolve(void (now = undefined)),
    find: () => {
      left -= 1;
      if (left === 0)
        now =
          now === undefined ? { ...object, metadata: { ...object.metadata, uid: '2' } } : object;
      return Promise.resolve(now);
    },
  });
  return { client: client as KubernetesClient, patches, left: () => left };
}

describe('hostEdit and hostDeletion', () => {
  it.each([
    ['a Deployment', deployment, { spec: { revisionHistoryLimit: 9 } }],
    ['a Service', service, { spec: { ports: [{ port: 443, targetPort: 1 }, { port: 80 }] } }],
    ['a Secret', secret, { data: { a: 'ZWRpdGVk' } }],
  ])('change %s until it is restored', async (_, subject, patch) => {
    const { client, patches, left } = scene(subject, 3);
    const edit = hostEdit(client, subject);
    expect(edit).toBeDefined();
    if (edit !== undefined) expect(await timeOfRepair(client, subject, edit)).toBeGreaterThan(0);
    expect(patches).toEqual([patch]);
    expect(left()).toBe(0);
  });

  it('wait for an object with another UID', async () => {
    const { client, left } = scene(service, 2);
    const deletion = hostDeletion(client, service);
    if (deletion !== undefined) await timeOfRepair(client, service, deletion);
    expect(left()).toBe(0);
  });

  it('leave out what cannot be changed or must stay', () => {
    const { client } = scene(service, 1);
    expect(hostDeletion(client, statefulSet)).toBeUndefined();
    expect(hostEdit(client, of(resources.Secret, 'Secret', {}))).toBeUndefined();
    expect(hostEdit(client, of(resources.Service, 'Service', { spec: {} }))).toBeUndefined();
  });
});

describe('hostObjects', () => {
  it('lists the kinds with the labels of the control plane', async () => {
    const selectors: unknown[] = [];
    const client = anyClient({
      list: (type, selection) => {
        selectors.push(selection?.labelSelector);
        const items = type === resources.Secret ? [secret.object] : [];
        return Promise.resolve({ resourceVersion: '1', items });
      },
    });
    const found = await hostObjects(client as KubernetesClient, { name: 'a', namespace: 'team' });
    expect(found).toEqual([secret]);
    expect(new Set(selectors)).toEqual(
      new Set(['app.kubernetes.io/managed-by=karmada-operator,app.kubernetes.io/instance=a']),
    );
  });
});
