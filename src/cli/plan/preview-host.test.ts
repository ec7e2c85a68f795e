import { expect, it } from '@jest/globals';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { KarmadaSpec } from '../../api/karmada.ts';
import { createSecretPolicy } from '../../api/secrets/secret-policy.ts';
import { karmadaOf, VIEW } from '../../instance/__fixtures__/instance.ts';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { previewEtcdData, previewRemote } from './preview-host.ts';

const REMOTE: KarmadaSpec = {
  hostCluster: { secretRef: { name: 'host' }, apiEndpoint: 'https://host' },
  imagePullSecrets: ['pull', 'opaque', 'missing'].map((name) => ({ name })),
};

const subjectOf = (spec: KarmadaSpec) => ({
  karmada: karmadaOf(spec),
  spec: defaultSpec(spec, { defaultStorageClass: false }),
  host: { objects: [], pods: [], claims: [] },
});

const secret = (name: string, type: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'team' },
  type,
});

const SECRETS = [secret('pull', 'kubernetes.io/dockerconfigjson'), secret('opaque', 'Opaque')];
const POLICY = createSecretPolicy('Granted', () => []);
const management = anyClient({
  find: (_, { name }) => Promise.resolve(SECRETS.find(({ metadata }) => metadata.name === name)),
});
const hostWith = (find: () => Promise<KubernetesObject | undefined>) => ({
  management,
  host: anyClient({ find }),
});

it('previewRemote reads the namespace, and selects the pull Secrets that the operator copies', async () => {
  const clients = hostWith(() => Promise.resolve(undefined));
  const found = await previewRemote(clients, subjectOf(REMOTE), POLICY);
  expect(found?.remote).toMatchObject({ hasNamespace: false, endpoint: 'https://host' });
  expect([...(found?.pullSecrets ?? [])]).toEqual(['pull']);
});

it('previewRemote assumes a namespace that it may not read', async () => {
  const denied = new ApiError({ request: 'get', code: 403, reason: 'Forbidden', message: 'no' });
  const clients = hostWith(() => Promise.reject(denied));
  expect((await previewRemote(clients, subjectOf(REMOTE), POLICY))?.remote.hasNamespace).toBe(true);
});

it('previewRemote reads nothing for the management cluster', async () => {
  const clients = hostWith(() => Promise.reject(new Error('read')));
  expect(await previewRemote(clients, subjectOf({}), POLICY)).toBeUndefined();
});

it('previewEtcdData returns the data of an etcd without a StatefulSet, or why it could not be read', async () => {
  const nothing = { resourceVersion: '1', items: [] };
  const empty = anyClient({
    find: () => Promise.resolve(undefined),
    list: () => Promise.resolve(nothing),
  });
  const { data } = await previewEtcdData(empty, subjectOf({}), VIEW);
  expect(data?.evidence).toMatchObject({ claims: [], pods: [], volumes: [], wasReady: false });
  const broken = anyClient({
    find: () => Promise.reject(new Error('timeout')),
    list: () => Promise.resolve(nothing),
  });
  expect(await previewEtcdData(broken, subjectOf({}), VIEW)).toEqual({ unread: 'timeout' });
});
