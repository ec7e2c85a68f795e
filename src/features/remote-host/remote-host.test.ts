import { describe, expect, it } from '@jest/globals';
import { INSTANCE, MANAGED_BY, MANAGER } from '../../api/labels.ts';
import { dump, load } from 'js-yaml';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { karmadaOf, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { RemoteSnapshot, Snapshot } from '../../instance/snapshot.ts';
import { adminKubeconfig } from '../../pki/kubeconfig.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { copyKubeconfig, kubeconfigActions, prepareRemoteActions } from './remote-host.ts';

const authority = await newPair({ commonName: 'ca' });
const admin = await newPair({ commonName: 'admin' }, authority);
const WRITTEN = adminKubeconfig('https://api.example.com:5443', [authority.cert], {
  certificate: admin.cert,
  key: admin.key,
});

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

describe('copyKubeconfig', () => {
  async function copy(text: string) {
    const labels = { [MANAGED_BY]: MANAGER, [INSTANCE]: 'karmada-demo' };
    const source = secret('karmada-demo-admin-config', {
      kubeconfig: Buffer.from(text).toString('base64'),
    });
    const found = { ...source, metadata: { ...source.metadata, labels } };
    const applied: KubernetesObject[] = [];
    const apply = ({ desired }: { readonly desired: KubernetesObject }) => {
      applied.push(desired);
      return Promise.resolve({ outcome: 'created' });
    };
    const done = await copyKubeconfig(
      { applier: { apply } } as unknown as Parameters<typeof copyKubeconfig>[0],
      { client: { find: () => Promise.resolve(found) } } as unknown as Pick<Host, 'client'>,
      karmadaOf(),
    );
    return { done, applied };
  }

  it('copies what the operator writes', async () => {
    const { done, applied } = await copy(WRITTEN);
    expect(done).toEqual({});
    expect(applied).toHaveLength(1);
  });

  interface Written {
    readonly clusters: readonly { readonly cluster: Record<string, unknown> }[];
    readonly users: object[];
    readonly extensions?: unknown;
  }
  const changed = (change: (config: Written) => unknown): string => {
    const config = load(WRITTEN) as Written;
    change(config);
    return dump(config);
  };
  const COMMAND = { name: 'admin', user: { exec: { command: 'sh' } } };

  it.each<[string, string, string]>([
    [
      'a command',
      changed(({ users }) => Object.assign(users[0] ?? {}, { user: COMMAND.user })),
      '.exec',
    ],
    ['a further user', changed(({ users }) => users.push(COMMAND)), 'exactly one entry in users'],
    [
      'a proxy',
      changed(({ clusters: [one] }) =>
        Object.assign(one?.cluster ?? {}, { 'proxy-url': 'http://p' }),
      ),
      'proxy-url',
    ],
    ['extensions', changed((config) => Object.assign(config, { extensions: [] })), 'extensions'],
    ['other content', 'x', 'not a YAML mapping'],
  ])('copies no kubeconfig with %s of a host cluster', async (_, text, expected) => {
    const { done, applied } = await copy(text);
    expect(applied).toEqual([]);
    expect(done.problem?.reason).toBe('Conflict');
    expect(done.problem?.message).toContain(expected);
    expect(done.problem?.message).toContain('Secret team/karmada-demo-admin-config on the host');
  });
});
