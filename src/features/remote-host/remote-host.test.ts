import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../../api/defaults.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { karmadaOf, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { RemoteSnapshot, Snapshot } from '../../instance/snapshot.ts';
import { kubeconfigActions, prepareRemoteActions } from './remote-host.ts';

const REMOTE: RemoteSnapshot = {
  server: 'https://host.example.com',
  secret: 'team/host',
  endpoint: 'https://host.example.com',
  hasNamespace: true,
  namespaceLabels: {},
};

const secret = (name: string, data: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'team' },
  data,
});

/** A snapshot whose spec names an image pull Secret, with these Secrets on the host cluster. */
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
    ['nothing for the management cluster', undefined, [], []],
    [
      'the creation of the Namespace first when it is missing',
      { ...REMOTE, hasNamespace: false, namespaceLabels: {} },
      [],
      [
        { kind: 'createNamespace', name: 'team', labels: {} },
        { kind: 'copyPullSecret', name: 'registry' },
      ],
    ],
    [
      'the present copy, which may be paused, with the copy action',
      REMOTE,
      [registry],
      [{ kind: 'copyPullSecret', name: 'registry', cached: registry }],
    ],
  ])('returns %s', (_, remote, secrets, actions) => {
    expect(prepareRemoteActions(snapshotWith(remote, secrets))).toEqual(actions);
  });
});

describe('kubeconfigActions', () => {
  const name = 'karmada-demo-admin-config';
  const present = secret(name, { kubeconfig: 'one' });
  const former = secret(name, { kubeconfig: 'another' });
  const copied = { ...REMOTE, kubeconfig: secret(name, { kubeconfig: 'one', more: 'ignored' }) };

  it.each<[string, RemoteSnapshot | undefined, readonly KubernetesObject[], readonly unknown[]]>([
    ['nothing for the management cluster', undefined, [present], []],
    ['nothing when there is no kubeconfig yet', REMOTE, [], []],
    ['a copy action when there is no copy', REMOTE, [present], [{ kind: 'copyKubeconfig' }]],
    ['nothing when the copy has equal data', copied, [present], []],
    [
      'a copy action when the copy differs',
      { ...REMOTE, kubeconfig: former },
      [present],
      [{ kind: 'copyKubeconfig', cached: former }],
    ],
  ])('returns %s', (_, remote, secrets, actions) => {
    expect(kubeconfigActions(snapshotWith(remote, secrets))).toEqual(actions);
  });
});
