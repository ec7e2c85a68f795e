import { describe, expect, it } from '@jest/globals';
import { newPair } from '../../test/harness/certificates.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import { karmadas } from '../host-clusters/host.ts';
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import type { KubernetesClient } from '../kubernetes/client-interface.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { orphanLines } from '../orphans/find-orphans.ts';
import { openHost } from './plan-host.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const { cert } = await newPair({ commonName: 'host-ca' });

/** Secret of another namespace, whose token is for a server that it does not name. */
const SECRET: KubernetesObject = {
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'host', namespace: 'storage' } },
  data: { token: base64('secret-token'), caBundle: base64(cert) },
};

const SERVER = 'https://host.example.com:6443';

const karmadaWith = (status: KarmadaStatus): Karmada => ({
  ...{ apiVersion: 'operator.karmada.io/v1alpha1', kind: 'Karmada' },
  metadata: { name: 'demo', namespace: 'team' },
  spec: {
    hostCluster: { secretRef: { namespace: 'storage', name: 'host' }, apiEndpoint: SERVER },
  },
  status,
});

/** Records where the commands connect to. */
function scene(status: KarmadaStatus) {
  const opened: ExplicitAccess[] = [];
  const karmada = karmadaWith(status);
  const remote: Partial<KubernetesClient> = {
    list: () => Promise.resolve({ resourceVersion: '1', items: [] }),
    close: () => Promise.resolve(),
  };
  const client: Partial<KubernetesClient> = {
    find: () => Promise.resolve(SECRET),
    list: ({ plural }) => {
      const items = plural === karmadas.plural ? [{ ...karmada }] : [];
      return Promise.resolve({ resourceVersion: '1', items });
    },
  };
  const connect = (access: ExplicitAccess): KubernetesClient => {
    opened.push(access);
    return remote as KubernetesClient;
  };
  return { client: client as KubernetesClient, connect, karmada, opened };
}

const IN_USE = { hostUID: 'u', hostSecret: 'storage/host', hostEndpoint: SERVER };
/** The author of the Karmada has first used an own server and an own Secret. */
const OTHER_SECRET = { ...IN_USE, hostSecret: 'team/own' };

describe('commands that open a host cluster', () => {
  it('use the Secret and the server that the operator uses', async () => {
    const { client, connect, karmada, opened } = scene(IN_USE);
    await openHost({ client, connect }, karmada);
    await orphanLines(client, connect);
    expect(opened.map(({ server }) => server)).toEqual([SERVER, SERVER]);
  });

  it.each<[string, KarmadaStatus]>([
    ['was not used before', {}],
    ['was not used with this server', OTHER_SECRET],
  ])('send no token of a Secret in another namespace that %s', async (_, status) => {
    const { client, connect, karmada, opened } = scene(status);
    await expect(openHost({ client, connect }, karmada)).rejects.toThrow(
      'does not name this server',
    );
    await orphanLines(client, connect);
    expect(opened).toEqual([]);
  });
});
