import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../../api/defaults.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { karmadaOf, snapshotOf, wishOf } from '../__fixtures__/instance.ts';
import type { RemoteSnapshot, Snapshot } from '../snapshot.ts';
import { kubeconfigActions, prepareRemoteActions } from './remote.ts';

const REMOTE: RemoteSnapshot = {
  server: 'https://host.example.com',
  secret: 'team/host',
  hasNamespace: true,
};

const secret = (name: string, data: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'team' },
  data,
});

/** A snapshot whose spec names a Secret for image pulls, with these Secrets on the host. */
function snapshotWith(
  remote: RemoteSnapshot | undefined,
  secrets: readonly KubernetesObject[],
): Snapshot {
  const spec = { imagePullSecrets: [{ name: 'registry' }] };
  const snapshot = snapshotOf(wishOf(spec), [], { karmada: karmadaOf(spec) });
  return {
    ...snapshot,
    spec: defaultSpec(spec, { defaultStorageClass: false }),
    host: { ...snapshot.host, objects: secrets },
    ...(remote && { remote }),
  };
}

describe('prepareRemoteActions', () => {
  const registry = secret('registry', {});

  it.each<[string, RemoteSnapshot | undefined, readonly KubernetesObject[], readonly unknown[]]>([
    ["the operator's own cluster needs nothing", undefined, [], []],
    [
      'a host without the namespace gets it first',
      { ...REMOTE, hasNamespace: false },
      [],
      [
        { kind: 'createNamespace', name: 'team' },
        { kind: 'copyPullSecret', name: 'registry' },
      ],
    ],
    [
      'the copy that is there is what repair may be paused of',
      REMOTE,
      [registry],
      [{ kind: 'copyPullSecret', name: 'registry', cached: registry }],
    ],
  ])('%s', (_, remote, secrets, actions) => {
    expect(prepareRemoteActions(snapshotWith(remote, secrets))).toEqual(actions);
  });
});

describe('kubeconfigActions', () => {
  const name = 'karmada-demo-admin-config';
  const present = secret(name, { kubeconfig: 'one' });
  const former = secret(name, { kubeconfig: 'another' });
  const copied = { ...REMOTE, kubeconfig: secret(name, { kubeconfig: 'one', more: 'ignored' }) };

  it.each<[string, RemoteSnapshot | undefined, readonly KubernetesObject[], readonly unknown[]]>([
    ['none in the cluster of the operator', undefined, [present], []],
    ['none before there is a kubeconfig', REMOTE, [], []],
    ['a copy where there is none', REMOTE, [present], [{ kind: 'copyKubeconfig' }]],
    ['none when the copy holds the same', copied, [present], []],
    [
      'a copy where another kubeconfig is',
      { ...REMOTE, kubeconfig: former },
      [present],
      [{ kind: 'copyKubeconfig', cached: former }],
    ],
  ])('%s', (_, remote, secrets, actions) => {
    expect(kubeconfigActions(snapshotWith(remote, secrets))).toEqual(actions);
  });
});
