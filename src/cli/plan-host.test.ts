import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../kubernetes/client/any-client.fixture.ts';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../api/labels.ts';
import { ALLOWED_NAMESPACES_ANNOTATION } from '../api/secrets/secret-grant.ts';
import { createSecretPolicy } from '../api/secrets/secret-policy.ts';
import { karmadas } from '../host-clusters/host.ts';
import type { Endpoint, ExplicitAccess } from '../kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { ApiError } from '../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { listOrphans } from '../orphans/find-orphans.ts';
import { aboveHostLimit, hostEndpoint, hostFacts, hostSnapshot, openHost } from './plan-host.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const { cert } = await newPair({ commonName: 'host-ca' });

/** Secret of another namespace, whose token is for a server that it does not name. */
const SECRET: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'host', namespace: 'storage' },
  data: { token: base64('secret-token'), caBundle: base64(cert) },
};

const SERVER = 'https://host.example.com:6443';

const karmadaWith = (status: KarmadaStatus): Karmada => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name: 'demo', namespace: 'team' },
  spec: {
    hostCluster: { secretRef: { namespace: 'storage', name: 'host' }, apiEndpoint: SERVER },
  },
  status,
});

interface Scene {
  readonly secret?: Partial<KubernetesObject>;
  /** Answer of the host cluster for its Namespace kube-system. */
  readonly kubeSystem?: () => Promise<KubernetesObject | undefined>;
}

const namespaceWith = (uid: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'kube-system', uid },
});

/** Records where the commands connect to. */
function scene(status: KarmadaStatus, more: Scene = {}) {
  const { secret = {}, kubeSystem = () => Promise.resolve(namespaceWith('u')) } = more;
  const opened: ExplicitAccess[] = [];
  const closed: string[] = [];
  const karmada = karmadaWith(status);
  const remote: Partial<KubernetesClient> = anyClient({
    find: kubeSystem,
    list: () => Promise.resolve({ resourceVersion: '1', items: [] }),
    close: () => Promise.resolve(void closed.push('remote')),
  });
  const client: Partial<KubernetesClient> = anyClient({
    find: () => Promise.resolve({ ...SECRET, ...secret }),
    list: ({ plural }) => {
      const items = plural === karmadas.plural ? [{ ...karmada }] : [];
      return Promise.resolve({ resourceVersion: '1', items });
    },
  });
  const connect = (access: ExplicitAccess): KubernetesClient => {
    opened.push(access);
    return remote as KubernetesClient;
  };
  return { client: client as KubernetesClient, connect, karmada, opened, closed };
}

const metadata = (more: object): Partial<KubernetesObject> => ({
  metadata: { ...SECRET.metadata, ...more },
});
const GRANTED = metadata({ annotations: { [ALLOWED_NAMESPACES_ANNOTATION]: 'team' } });
/** Secret that the operator created for another control plane, with a kubeconfig. */
const OF_ANOTHER = metadata({
  annotations: { [ALLOWED_NAMESPACES_ANNOTATION]: '*' },
  labels: { [MANAGED_BY]: MANAGER, [INSTANCE]: 'other' },
});
const NOT_VALID = { data: { kubeconfig: base64('text') } };

const IN_USE = { hostUID: 'u', hostSecret: 'storage/host', hostEndpoint: SERVER };
/** The author of the Karmada has first used an own server and an own Secret. */
const OTHER_SECRET = { ...IN_USE, hostSecret: 'team/own' };

describe('aboveHostLimit', () => {
  const client = anyClient({
    list: () => {
      const karmada = karmadaWith(IN_USE);
      const metadata = { ...karmada.metadata, name: 'other' };
      return Promise.resolve({ resourceVersion: '1', items: [{ ...karmada, metadata }] });
    },
  });
  const onSecret = (name: string): Karmada => {
    const hostCluster = { secretRef: { namespace: 'storage', name }, apiEndpoint: SERVER };
    return { ...karmadaWith({}), spec: { hostCluster } };
  };

  it.each<[string, Karmada, number, string | undefined]>([
    ['another host cluster', onSecret('new'), 1, 'TooManyHostClusters'],
    ['another host cluster within the limit', onSecret('new'), 2, undefined],
    ['a host cluster that the namespace uses', onSecret('host'), 1, undefined],
    ['the management cluster', { ...karmadaWith({}), spec: {} }, 1, undefined],
  ])('compares %s with the limit of the operator', async (_, karmada, limit, reason) => {
    expect((await aboveHostLimit(client, karmada, limit))?.reason).toBe(reason);
  });
});

describe('commands that open a host cluster', () => {
  it('use the Secret and the server that the operator uses', async () => {
    const { client, connect, karmada, opened } = scene(IN_USE);
    await openHost({ client, connect }, karmada);
    await listOrphans(client, connect);
    expect(opened.map(({ server }) => server)).toEqual([SERVER, SERVER]);
  });

  it.each<[string, KarmadaStatus]>([
    ['was not used before', {}],
    ['was not used with this server', OTHER_SECRET],
  ])('send no token of a Secret in another namespace that %s', async (_, status) => {
    const { client, connect, karmada, opened } = scene(status, { secret: GRANTED });
    await expect(openHost({ client, connect }, karmada)).rejects.toThrow(
      'does not name this server',
    );
    await listOrphans(client, connect);
    expect(opened).toEqual([]);
  });

  it.each<[string, string, Partial<KubernetesObject>]>([
    ['is not granted', 'SecretNotGranted', {}],
    ['is not granted and not valid', 'SecretNotGranted', NOT_VALID],
    ['belongs to another control plane', 'SecretOfOtherControlPlane', OF_ANOTHER],
  ])('use no Secret of another namespace that %s', async (_, reason, secret) => {
    const { client, connect, karmada, opened } = scene({}, { secret });
    await expect(openHost({ client, connect }, karmada)).rejects.toThrow(`${reason}: spec.host`);
    const management = { client, endpoint: {} as Endpoint };
    await expect(hostEndpoint(management, karmada)).rejects.toThrow(reason);
    expect(opened).toEqual([]);
  });

  it('use such a Secret if the operator accepts all', async () => {
    const { client, connect, karmada, opened } = scene({});
    const secretPolicy = createSecretPolicy('Any', () => []);
    await openHost({ client, connect, secretPolicy }, karmada);
    expect(opened).toHaveLength(1);
  });

  it('read nothing from another cluster than the one that runs the control plane', async () => {
    const kubeSystem = () => Promise.resolve(namespaceWith('another'));
    const { client, connect, karmada, closed } = scene(IN_USE, { kubeSystem });
    await expect(openHost({ client, connect }, karmada)).rejects.toThrow(
      'points to a different cluster',
    );
    expect(closed).toEqual(['remote']);
  });

  it('read from a cluster whose UID they may not read', async () => {
    const details = { request: 'get', code: 403, reason: 'Forbidden', message: 'no' };
    const kubeSystem = () => Promise.reject(new ApiError(details));
    const { client, connect, karmada, opened } = scene(IN_USE, { kubeSystem });
    await openHost({ client, connect }, karmada);
    expect(opened).toHaveLength(1);
  });
});

describe('hostFacts and hostSnapshot without permissions', () => {
  const forbidden = (): ApiError =>
    new ApiError({ request: 'list', code: 403, reason: 'Forbidden', message: 'no' });

  /** @param error of the kinds that the user may not list */
  const without = (kinds: readonly string[], error: Error): KubernetesClient =>
    ({
      list: ({ plural }: { readonly plural: string }) =>
        kinds.includes(plural)
          ? Promise.reject(error)
          : Promise.resolve({ resourceVersion: '1', items: [] }),
    }) as unknown as KubernetesClient;

  const unavailable = new Error('unavailable');
  const key = { name: 'demo', namespace: 'team' };

  it('assume a default StorageClass, as the operator does', async () => {
    expect(await hostFacts(without(['storageclasses', 'nodes'], forbidden()))).toEqual({
      defaultStorageClass: true,
    });
    await expect(hostFacts(without(['storageclasses'], unavailable))).rejects.toThrow(unavailable);
    expect(await hostFacts(without([], unavailable))).toEqual({ defaultStorageClass: false });
  });

  it('read the IP family from the Pods', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      status: { podIPs: [{ ip: 'fd00::1' }] },
    };
    expect(await hostFacts(without([], unavailable), [pod])).toMatchObject({ ipFamily: 'IPv6' });
  });

  it('leave out Secrets only where that is asked for', async () => {
    const client = without(['secrets'], forbidden());
    expect(await hostSnapshot(client, key, { withoutSecrets: true })).toMatchObject({
      objects: [],
    });
    await expect(hostSnapshot(client, key)).rejects.toThrow('no');
    const broken = without(['secrets'], unavailable);
    await expect(hostSnapshot(broken, key, { withoutSecrets: true })).rejects.toThrow(unavailable);
  });
});
