import { describe, expect, it } from '@jest/globals';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { INPUTS, issuance, NOW } from '../../pki/fixture.test-data.ts';
import { decideCertificates } from './certificates.ts';

const object = (kind: string, name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: INPUTS.namespace },
});

/** Decides about the first certificates in a namespace with these objects. */
async function decidedWith(...stored: readonly KubernetesObject[]) {
  const of = ({ kind }: { readonly kind: string }) => stored.filter((one) => one.kind === kind);
  const client = {
    find: (type: { readonly kind: string }, { name }: { readonly name: string }) =>
      Promise.resolve(of(type).find(({ metadata }) => metadata.name === name)),
    list: (type: { readonly kind: string }) => Promise.resolve({ items: of(type) }),
  };
  const clock = { wall: () => NOW.getTime(), monotonic: () => 0 };
  const tools = { host: { client }, clock, keys: issuance().keys, secretPolicy: 'open' };
  const subject = { karmada: { metadata: { name: INPUTS.name } }, spec: {}, host: { objects: [] } };
  const { result, hasNoEtcd } = await decideCertificates(
    tools as never,
    INPUTS,
    subject as never as Snapshot,
  );
  return [result.outcome, hasNoEtcd];
}

describe('new CAs', () => {
  it('show that there is no etcd', async () => {
    expect(await decidedWith()).toEqual(['ready', true]);
  });

  it.each([
    ['StatefulSet', 'demo-karmada-etcd'],
    ['PersistentVolumeClaim', 'etcd-data-demo-karmada-etcd-0'],
  ])('are not created when a %s of etcd exists', async (kind, name) => {
    expect(await decidedWith(object(kind, name))).toEqual(['blocked', false]);
  });
});
