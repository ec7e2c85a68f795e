import { describe, expect, it } from '@jest/globals';
import { Applier } from '../kubernetes/apply/apply.ts';
import {
  manualClock,
  memoryLog,
  settle,
  type ManualClock,
} from '../kubernetes/time/clock.fixture.ts';
import type { Endpoint } from '../kubernetes/connection/connection.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { hashSecretValues } from '../kubernetes/objects/cache-transform.ts';
import { FakeApi } from './api.fixture.ts';
import type { MemberCluster } from './member-cluster.ts';
import { MemberAccessManager, type DesiredMemberAccess } from './access-manager.ts';

const OWNER = { name: 'demo', namespace: 'team', uid: 'u-1' };
const SECRET = 'v1/Secret/team/demo-karmada-scheduler-estimator-m1-kubeconfig';

const memberNamed = (name: string): MemberCluster => ({
  name,
  uid: `uid-${name}`,
  server: `https://${name}:6443`,
  insecure: false,
  proxyHeader: false,
  secret: { namespace: 'karmada-cluster', name },
});

interface Environment {
  readonly clock: ManualClock;
  readonly members: MemberAccessManager;
  readonly host: FakeApi;
  readonly plane: FakeApi;
  /** API servers of member clusters by URL. */
  readonly apis: Map<string, FakeApi>;
  readonly logged: readonly string[];
  readonly changes: () => number;
  /** Performs the part of a reconcile that calls `sync`. */
  readonly sync: (names: readonly string[], version?: string) => Promise<void>;
  readonly endpoints: Endpoint[];
}

const secretData = (token: string): object => ({
  data: {
    token: Buffer.from(token).toString('base64'),
    caBundle: Buffer.from('PEM').toString('base64'),
  },
});

function environment(memberApi: FakeApi = new FakeApi()): Environment {
  const clock = manualClock();
  const log = memoryLog();
  const [host, plane] = [new FakeApi(), new FakeApi()];
  const apis = new Map([['https://m1:6443', memberApi]]);
  const endpoints: Endpoint[] = [];
  let changes = 0;
  for (const name of ['m1', 'm2'])
    plane.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'karmada-cluster' },
      ...secretData(`token-of-${name}`),
    });
  memberApi.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'karmada-cluster' } });
  const hostClient = host.asClient();
  const members = new MemberAccessManager({
    clock,
    log,
    random: () => 0.5,
    host: { client: hostClient, applier: new Applier({ client: hostClient, fieldManager: 'me' }) },
    onChange: () => (changes += 1),
    connect: (endpoint) => {
      endpoints.push(endpoint);
      return (apis.get(endpoint.server) ?? new FakeApi()).asClient();
    },
  });
  const cached = (): KubernetesObject[] => [...host.objects.values()].map(hashSecretValues);
  const sync = async (names: readonly string[], version = '1'): Promise<void> => {
    const of = (name: string): KubernetesObject | undefined =>
      cached().find(({ metadata }) => metadata.labels?.['operator.karmada.io/cluster'] === name);
    const desiredState: DesiredMemberAccess = {
      owner: OWNER,
      controlPlane: plane.asClient(),
      wanted: names.map((name) => {
        const secret = of(name);
        return { member: memberNamed(name), credentials: version, ...(secret && { secret }) };
      }),
      leaving: cached().filter(
        ({ metadata }) => !names.includes(metadata.labels?.['operator.karmada.io/cluster'] ?? ''),
      ),
    };
    members.sync(desiredState);
    await settle();
  };
  return {
    clock,
    members,
    host,
    plane,
    apis,
    endpoints,
    sync,
    logged: log.lines,
    changes: () => changes,
  };
}

const tokenIn = ({ host }: Environment): string => {
  const { token = '' } = (host.objects.get(SECRET)?.['data'] ?? {}) as { token?: string };
  return Buffer.from(token, 'base64').toString();
};

describe('Members', () => {
  it('creates a ServiceAccount with least privilege and stores its token', async () => {
    const api = new FakeApi();
    const it = environment(api);
    await it.sync(['m1']);
    expect(tokenIn(it)).toBe('narrow');
    expect(
      api.calls.filter((call) => call.startsWith('apply')).map((call) => call.split(' ')[1]),
    ).toEqual([...['ClusterRole', 'ServiceAccount', 'ClusterRoleBinding', 'Secret']]);
    expect(it.members.problemOf('m1')).toBeUndefined();
    expect(it.members.noteOf('m1')).toBeUndefined();
    expect((await it.endpoints[0]?.credentials())?.headers).toEqual({
      authorization: 'Bearer token-of-m1',
    });
  });

  it('sends no requests for ten minutes and then repeats the access check', async () => {
    const api = new FakeApi();
    const it = environment(api);
    await it.sync(['m1']);
    const calls = api.calls.length + it.host.calls.length;
    await it.clock.advance(500_000);
    await it.sync(['m1']);
    expect(api.calls.length + it.host.calls.length).toBe(calls);
    await it.clock.advance(200_000);
    await it.sync(['m1']);
    const later = [...api.calls, ...it.host.calls].slice(0);
    expect(later.length).toBeGreaterThan(calls);
    expect(later.filter((call) => call.startsWith('apply'))).toHaveLength(5);
  });

  it.each<[string, (api: FakeApi) => void, RegExp]>([
    [
      'creating a ServiceAccount is forbidden',
      (api) => (api.failure = 403),
      /not allowed to create a ServiceAccount/,
    ],
    [
      'the Namespace of the join is missing',
      (api) => api.objects.clear(),
      /no Namespace karmada-cluster/,
    ],
  ])('uses the credentials of the control plane when %s', async (_what, spoil, note) => {
    const api = new FakeApi();
    const it = environment(api);
    spoil(api);
    await it.sync(['m1']);
    expect(tokenIn(it)).toBe('token-of-m1');
    expect(it.members.noteOf('m1')).toMatch(note);
    expect(it.members.problemOf('m1')).toBeUndefined();
  });

  it('uses the credentials of the control plane when the member cluster issues no token', async () => {
    const it = environment(new FakeApi({ issuesTokens: false }));
    await it.sync(['m1']);
    await it.clock.advance(6_000);
    expect(tokenIn(it)).toBe('token-of-m1');
    expect(it.members.noteOf('m1')).toMatch(/issues no token/);
  });

  it('reports and retries an unreachable member cluster without delaying another one', async () => {
    const api = new FakeApi();
    const it = environment(api);
    const other = new FakeApi();
    other.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'karmada-cluster' } });
    it.apis.set('https://m2:6443', other);
    api.failure = 'unreachable';
    await it.sync(['m1', 'm2']);
    expect(it.members.problemOf('m1')?.reason).toBe('MemberUnreachable');
    expect(it.members.problemOf('m1')?.message).toContain('EHOSTUNREACH');
    expect(it.members.problemOf('m2')).toBeUndefined();
    expect([...it.host.objects.keys()]).toEqual([SECRET.replace('-m1-', '-m2-')]);
    const tried = api.calls.length;
    await it.sync(['m1', 'm2']);
    expect(api.calls).toHaveLength(tried);
    api.failure = undefined;
    const asked = it.changes();
    await it.clock.advance(3_000);
    expect(it.changes()).toBeGreaterThan(asked);
    await it.sync(['m1', 'm2']);
    expect(it.members.problemOf('m1')).toBeUndefined();
    expect(tokenIn(it)).toBe('narrow');
  });

  it.each<[string, (it: Environment, api: FakeApi) => void, string]>([
    ['a rejected token', (_it, api) => (api.failure = 401), 'CredentialsRefused'],
    ['a missing Secret', ({ plane }) => plane.objects.clear(), 'CredentialsMissing'],
    ['an unreachable control plane', ({ plane }) => (plane.failure = 'unreachable'), 'Error'],
    ['a write that the host cluster forbids', ({ host }) => (host.failure = 403), 'Error'],
  ])('reports %s with reason %s', async (_what, spoil, reason) => {
    const api = new FakeApi();
    const it = environment(api);
    spoil(it, api);
    await it.sync(['m1']);
    expect(it.members.problemOf('m1')?.reason).toBe(reason);
    expect(it.host.objects.size).toBe(0);
  });

  it('checks the access immediately when the credentials change', async () => {
    const it = environment();
    await it.sync(['m1']);
    const before = it.endpoints.length;
    await it.sync(['m1'], '2');
    expect(it.endpoints.length).toBe(before + 1);
  });

  it('recreates the Secret when another client deletes it', async () => {
    const it = environment();
    await it.sync(['m1']);
    await it.clock.advance(5_000);
    it.host.objects.delete(SECRET);
    await it.sync(['m1']);
    expect(tokenIn(it)).toBe('narrow');
  });
});

describe('Members with removed member clusters', () => {
  it('deletes the ClusterRole first and then the Secret', async () => {
    const api = new FakeApi();
    const it = environment(api);
    await it.sync(['m1']);
    await it.sync([]);
    expect(api.calls.at(-1)).toMatch(/^delete ClusterRole demo-karmada-scheduler-estimator-/);
    expect((await it.endpoints.at(-1)?.credentials())?.headers).toEqual({
      authorization: 'Bearer narrow',
    });
    expect(it.host.objects.size).toBe(0);
  });

  it('deletes the Secret and logs a warning when the member cluster is unreachable for a minute', async () => {
    const api = new FakeApi();
    const it = environment(api);
    await it.sync(['m1']);
    api.failure = 'unreachable';
    await it.sync([]);
    expect(it.host.objects.size).toBe(1);
    for (let second = 0; second < 90 && it.host.objects.size > 0; second += 10) {
      await it.clock.advance(10_000);
      await it.sync([]);
    }
    expect(it.host.objects.size).toBe(0);
    expect(it.logged.join()).toContain('remains there');
    expect(it.logged.join()).not.toContain('narrow"');
  });

  it.each([401, 403] as const)(
    'deletes the Secret when the member cluster rejects the token with status %d',
    async (code) => {
      const api = new FakeApi();
      const it = environment(api);
      await it.sync(['m1']);
      api.failure = code;
      await it.sync([]);
      expect(it.host.objects.size).toBe(0);
    },
  );

  it('creates the access again when the member cluster returns', async () => {
    const it = environment();
    await it.sync(['m1']);
    await it.sync([]);
    await it.sync(['m1']);
    expect(tokenIn(it)).toBe('narrow');
  });
});

it('Members sends no requests after close', async () => {
  const it = environment();
  await it.members.close();
  await it.sync(['m1']);
  expect(it.host.calls).toEqual([]);
  expect(it.clock.pending()).toBe(0);
});
