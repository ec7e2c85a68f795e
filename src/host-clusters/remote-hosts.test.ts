import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../kubernetes/client/any-client.fixture.ts';
import { manualClock, memoryLog, settle } from '../kubernetes/time/clock.fixture.ts';
import { CacheQuota } from '../kubernetes/informers/cache-quota/cache-quota.ts';
import { CallGate } from '../kubernetes/client/call-gate.ts';
import { DEFAULT_ADDRESSES } from '../kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../kubernetes/connection/name-resolver.ts';
import type { ExplicitAccess } from '../kubernetes/connection/connection.ts';
import { ApiError, NetworkError } from '../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';
import type { HostReference } from './host-reference.ts';
import { createSecretPolicy } from '../api/secrets/secret-policy.ts';
import type { HostUser } from './host-user.ts';
import type { RemoteHost } from './remote-host.ts';
import { RemoteHosts } from './remote-hosts.ts';

const { cert } = await newPair({ commonName: 'host-ca' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const reference: HostReference = {
  secret: { namespace: 'team', name: 'host' },
  apiEndpoint: 'https://host.example.com:6443',
};

const USER: HostUser = { karmada: { name: 'demo', namespace: 'team' }, inUse: false };

const secretOf = (token: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'host', namespace: 'team' },
  data: { token: base64(token), caBundle: base64(cert) },
});

interface Environment {
  /** The Secret, or the error of reading it. */
  secret: KubernetesObject | Error | undefined;
  /** Status of `/version` of the host cluster, or the error. */
  answer: number | Error;
  /** Problem of the caches of the host cluster. */
  problem?: string;
  /** Why its synced caches are stale. */
  stale?: { readonly stale: string; readonly isDenied: boolean };
  /** Missing permissions there. */
  missing?: readonly string[];
  /** Reading the Secret never completes, regardless of its timeout. */
  hangs?: true;
}

function setUp(environment: Environment) {
  const clock = manualClock();
  const opened: { access: ExplicitAccess; closed: boolean }[] = [];
  /** Number of callers that wait for synced caches. */
  const waiting = { count: 0 };
  const changed: string[] = [];
  const open = (access: ExplicitAccess): RemoteHost => {
    const entry = { access, closed: false };
    opened.push(entry);
    const informer = {
      start: () => undefined,
      get hasSynced() {
        return environment.problem === undefined;
      },
      get problem() {
        return environment.problem;
      },
      get freshness() {
        return { state: 'fresh', resource: 'pods', ...environment.stale };
      },
      get synced() {
        waiting.count += 1;
        return environment.problem === undefined ? Promise.resolve() : new Promise(() => undefined);
      },
    };
    return {
      remote: { server: access.server },
      gate: new CallGate(clock),
      quota: new CacheQuota({ clock, random: () => 0.5, log: memoryLog() }),
      informers: [informer],
      optional: [],
      rights: {
        look: () => undefined,
        suspect: () => undefined,
        missingFor: () => environment.missing ?? [],
      },
      client: {
        raw: () =>
          environment.answer instanceof Error
            ? Promise.reject(environment.answer)
            : Promise.resolve({ status: environment.answer, body: '' }),
      },
      close: () => {
        entry.closed = true;
        return Promise.resolve();
      },
    } as unknown as RemoteHost;
  };
  const find = (): Promise<KubernetesObject | undefined> => {
    if (environment.hangs) return new Promise(() => undefined);
    return environment.secret instanceof Error
      ? Promise.reject(environment.secret)
      : Promise.resolve(environment.secret);
  };
  const hosts = new RemoteHosts({
    client: anyClient({ find }),
    secretPolicy: createSecretPolicy('Granted', () => []),
    addresses: addressesOf(DEFAULT_ADDRESSES, new NameResolver()),
    clock,
    random: () => 0.5,
    log: memoryLog(),
    userAgent: 'test',
    onChange: (key) => changed.push(key),
    onOpen: () => undefined,
    open,
  });
  const view = () => hosts.of('team/demo', reference, USER);
  return { clock, hosts, opened, changed, waiting, view };
}

describe('RemoteHosts', () => {
  it('checks a host cluster in the background, notifies its users and closes it after the last', async () => {
    const { changed, opened, view, hosts } = setUp({ secret: secretOf('one'), answer: 200 });
    expect(view().state).toBe('unread');
    await settle();
    expect(view().state).toBe('reached');
    expect([changed, opened.length]).toEqual([['team/demo'], 1]);
    hosts.of('team/other', reference, { ...USER, karmada: { name: 'other', namespace: 'team' } });
    expect(opened).toHaveLength(1);
    hosts.leave('team/demo');
    expect(opened[0]?.closed).toBe(false);
    hosts.leave('team/other');
    await settle();
    expect(opened[0]?.closed).toBe(true);
  });

  it.each<[string, (hosts: RemoteHosts) => void]>([
    ['its last Karmada leaves', (hosts) => hosts.leave('team/demo')],
    ['all host clusters are closed', (hosts) => void hosts.close()],
  ])('opens no host cluster when %s while its Secret is read', async (_, end) => {
    const { clock, opened, view, hosts } = setUp({ secret: secretOf('one'), answer: 200 });
    view();
    end(hosts);
    await settle();
    expect([opened, clock.pending()]).toEqual([[], 0]);
  });

  it('reconnects with new credentials and closes the old connection', async () => {
    const environment: Environment = { secret: secretOf('one'), answer: 200 };
    const { clock, opened, view } = setUp(environment);
    view();
    await settle();
    environment.secret = secretOf('two');
    await clock.advance(10_000);
    expect(opened.map(({ access, closed }) => [access.token, closed])).toEqual([
      ['one', true],
      ['two', false],
    ]);
    expect(view().state).toBe('reached');
  });

  const refused = new ApiError({ request: 'get', code: 500, reason: 'x', message: 'no' } as never);

  it.each<[string, Partial<Environment>, string, RegExp]>([
    [
      'its Secret does not exist',
      { secret: undefined },
      'HostSecretMissing',
      /team\/host not found/,
    ],
    ['its Secret cannot be read', { secret: refused }, 'HostSecretReadFailed', /cannot be read/],
    [
      'its Secret is invalid',
      { secret: { ...secretOf('x'), data: {} } },
      'HostSecretInvalid',
      /neither the key kubeconfig/,
    ],
    [
      'it is unreachable',
      { answer: new NetworkError('get', 'ECONNREFUSED', 'refused') },
      'HostUnreachable',
      /host\.example\.com:6443 is unreachable/,
    ],
    ['it rejects the token', { answer: 401 }, 'HostAccessDenied', /renew the credentials/],
    [
      'it denies a list request',
      { problem: 'list pods: 403 Forbidden: no' },
      'HostAccessDenied',
      /ClusterRole karmada-operator-remote/,
    ],
    [
      'its role lacks permissions',
      { problem: 'list claims: 403 Forbidden: no', missing: ['list persistentvolumeclaims'] },
      'HostAccessDenied',
      /lacks RBAC permissions to list persistentvolumeclaims \(the API server answered list claims: 403 .*\); apply config\/remote-host\/rights.yaml to that cluster/,
    ],
  ])(
    'reports the host cluster with an action and retries when %s',
    async (_, change, reason, text) => {
      const environment: Environment = { secret: secretOf('one'), answer: 200, ...change };
      const { clock, view, changed } = setUp(environment);
      view();
      await clock.advance(20_000);
      const seen = view();
      expect(seen).toMatchObject({ state: 'unreached', problem: { reason } });
      expect('problem' in seen && seen.problem.message).toMatch(text);
      expect(changed).toEqual(['team/demo']);
      Object.assign(environment, { secret: secretOf('two'), answer: 200 });
      delete environment.problem;
      await clock.advance(60_000);
      expect(view().state).toBe('reached');
      expect(changed.length).toBeGreaterThan(1);
    },
  );

  it.each([
    [{ stale: 'watch pods: 403 Forbidden', isDenied: true }, 'HostAccessDenied', 'rights.yaml'],
    [{ stale: 'watch pods: cut', isDenied: false }, 'HostNotObserved', 'the network'],
  ])(
    'reports the host cluster as unreachable while its caches are stale: %j',
    async (stale, reason, remedy) => {
      const environment: Environment = { secret: secretOf('one'), answer: 200 };
      const { clock, changed, opened, view } = setUp(environment);
      view();
      await settle();
      environment.stale = stale;
      await clock.advance(10_000);
      const seen = view();
      expect(seen).toMatchObject({ state: 'unreached', problem: { reason } });
      const message = 'problem' in seen ? seen.problem.message : '';
      for (const part of ['https://host.example.com:6443', stale.stale, remedy])
        expect(message).toContain(part);
      await clock.advance(600_000);
      expect(changed).toHaveLength(2);
      delete environment.stale;
      await clock.advance(60_000);
      expect([view().state, changed.length, opened.length]).toEqual(['reached', 3, 1]);
    },
  );

  it('keeps the host cluster open when its Secret temporarily cannot be read', async () => {
    const environment: Environment = { secret: secretOf('one'), answer: 200 };
    const { clock, opened, view } = setUp(environment);
    view();
    await settle();
    environment.secret = refused;
    await clock.advance(60_000);
    expect(view().state).toBe('unreached');
    expect(opened.map(({ closed }) => closed)).toEqual([false]);
    environment.secret = secretOf('one');
    await clock.advance(60_000);
    expect([view().state, opened.length]).toEqual(['reached', 1]);
  });

  it('does not accumulate waiting promises when a host cluster denies list requests', async () => {
    const problem = 'list pods: 403 Forbidden: no';
    const { clock, waiting, view } = setUp({ secret: secretOf('one'), answer: 200, problem });
    view();
    await clock.advance(600_000);
    expect(view()).toMatchObject({ problem: { reason: 'HostAccessDenied' } });
    expect(waiting.count).toBe(1);
  });

  it('reports an unread host cluster when its first check takes too long', async () => {
    const { clock, changed, view } = setUp({ secret: undefined, answer: 200, hangs: true });
    view();
    await clock.advance(29_000);
    expect([view().state, changed]).toEqual(['unread', []]);
    await clock.advance(2_000);
    const seen = view();
    expect(seen).toMatchObject({ state: 'unreached', problem: { reason: 'HostUnread' } });
    expect('problem' in seen && seen.problem.message).toContain('team/host');
    expect(changed).toEqual(['team/demo']);
  });

  const elsewhere: HostUser = { karmada: { name: 'demo', namespace: 'else' }, inUse: false };
  const allowed = (token: string): KubernetesObject => {
    const annotations = { 'operator.karmada.io/allowed-namespaces': 'else' };
    return { ...secretOf(token), metadata: { name: 'host', namespace: 'team', annotations } };
  };
  const serverIn = (secret: KubernetesObject, server: string): KubernetesObject => ({
    ...secret,
    data: { ...(secret['data'] as object), server: base64(server) },
  });
  const granted = (token: string): KubernetesObject =>
    serverIn(allowed(token), 'https://host.example.com:6443/');

  it('sends the token of another namespace only to the server that its Secret names', async () => {
    const environment: Environment = { secret: allowed('one'), answer: 200 };
    const { clock, hosts, opened, changed } = setUp(environment);
    const view = (at = reference) => hosts.of('else/demo', at, elsewhere);
    view();
    await settle();
    const refused = { problem: { reason: 'HostServerNotGranted' } };
    expect([view(), opened]).toMatchObject([refused, []]);
    changed.length = 0;
    environment.secret = serverIn(allowed('one'), 'https://other.example.com:6443');
    await clock.advance(30_000);
    expect([view(), opened]).toMatchObject([refused, []]);
    environment.secret = granted('one');
    await clock.advance(30_000);
    expect([view().state, opened.length]).toEqual(['reached', 1]);
    expect(changed).toContain('else/demo');
    const moved = { ...reference, apiEndpoint: 'https://evil.example.com:6443' };
    view(moved);
    await settle();
    expect([view(moved), opened.length]).toMatchObject([refused, 1]);
  });

  it('keeps a server that the Secret does not name for an installed control plane, with a warning', async () => {
    const { hosts, clock } = setUp({ secret: allowed('one'), answer: 200 });
    const view = () => hosts.of('else/demo', reference, { ...elsewhere, inUse: true });
    view();
    await settle();
    await clock.advance(10_000);
    const warning = {
      reason: 'HostServerNotGranted',
      message: expect.stringContaining('key server'),
    };
    expect(view()).toMatchObject({ state: 'reached', warning });
  });

  it('does not tell a Karmada of another namespace whether a Secret exists', async () => {
    const answerFor = async (secret: KubernetesObject | undefined): Promise<unknown> => {
      const { hosts } = setUp({ secret, answer: 200 });
      hosts.of('else/demo', reference, elsewhere);
      await settle();
      return hosts.of('else/demo', reference, elsewhere);
    };
    const [missing, present, invalid, owned] = await Promise.all([
      answerFor(undefined),
      answerFor(secretOf('one')),
      answerFor({ ...secretOf('one'), data: {} }),
      answerFor({
        ...secretOf('one'),
        metadata: {
          name: 'host',
          namespace: 'team',
          labels: {
            'app.kubernetes.io/managed-by': 'karmada-operator',
            'app.kubernetes.io/instance': 'victim',
          },
        },
      }),
    ]);
    expect(missing).toMatchObject({ problem: { reason: 'SecretNotGranted' } });
    expect([present, invalid, owned]).toEqual([missing, missing, missing]);
    const { hosts } = setUp({ secret: undefined, answer: 200 });
    hosts.of('team/demo', reference, USER);
    await settle();
    expect(hosts.of('team/demo', reference, USER)).toMatchObject({
      problem: { reason: 'HostSecretMissing' },
    });
  });

  it('opens no host cluster until the Secret is granted to the namespace of the Karmada', async () => {
    const environment: Environment = { secret: secretOf('one'), answer: 200 };
    const { clock, hosts, opened, changed } = setUp(environment);
    const view = () => hosts.of('else/demo', reference, elsewhere);
    view();
    await settle();
    expect([view(), opened]).toMatchObject([{ problem: { reason: 'SecretNotGranted' } }, []]);
    environment.secret = granted('one');
    await clock.advance(30_000);
    expect([view().state, opened.length]).toEqual(['reached', 1]);
    expect(changed).toContain('else/demo');
  });

  it('hides the host cluster from a Karmada without a grant while another Karmada uses it', async () => {
    const { hosts, opened, view } = setUp({ secret: secretOf('one'), answer: 200 });
    view();
    await settle();
    const other = hosts.of('else/demo', reference, elsewhere);
    expect(other).toMatchObject({ state: 'unreached', problem: { reason: 'SecretNotGranted' } });
    expect([view().state, opened.length]).toEqual(['reached', 1]);
  });

  it('keeps the host cluster for an installed control plane and warns when the grant is removed', async () => {
    const environment: Environment = { secret: granted('one'), answer: 200 };
    const { clock, hosts, opened, changed } = setUp(environment);
    const view = () => hosts.of('else/demo', reference, { ...elsewhere, inUse: true });
    view();
    await settle();
    expect(view()).not.toHaveProperty('warning');
    changed.length = 0;
    environment.secret = secretOf('one');
    await clock.advance(10_000);
    expect(view()).toMatchObject({ state: 'reached', warning: { reason: 'SecretNotGranted' } });
    expect([changed, opened.map(({ closed }) => closed)]).toEqual([['else/demo'], [false]]);
  });
});
