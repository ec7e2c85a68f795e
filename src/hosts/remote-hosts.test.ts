import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../kubernetes/clock.fixture.ts';
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import { ApiError, NetworkError } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { newPair } from '../../test/harness/certificates.ts';
import type { HostReference } from './host-access.ts';
import type { RemoteHost } from './remote-host.ts';
import { RemoteHosts } from './remote-hosts.ts';

const { cert } = await newPair({ commonName: 'host-ca' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const reference: HostReference = {
  secret: { namespace: 'team', name: 'host' },
  apiEndpoint: 'https://host.example.com:6443',
};

const secretOf = (token: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'host', namespace: 'team' },
  data: { token: base64(token), caBundle: base64(cert) },
});

interface World {
  /** The Secret; an error is thrown. */
  secret: KubernetesObject | Error | undefined;
  /** What /version of the host answers. */
  answer: number | Error;
  /** What the caches of the host meet. */
  problem?: string;
}

function setUp(world: World) {
  const clock = manualClock();
  const opened: { access: ExplicitAccess; closed: boolean }[] = [];
  /** How many wait for the caches of hosts to be full. */
  const waiting = { count: 0 };
  const changed: string[] = [];
  const open = (access: ExplicitAccess): RemoteHost => {
    const entry = { access, closed: false };
    opened.push(entry);
    const informer = {
      start: () => undefined,
      get hasSynced() {
        return world.problem === undefined;
      },
      get problem() {
        return world.problem;
      },
      get synced() {
        waiting.count += 1;
        return world.problem === undefined ? Promise.resolve() : new Promise(() => undefined);
      },
    };
    return {
      remote: { server: access.server },
      informers: [informer],
      client: {
        raw: () =>
          world.answer instanceof Error
            ? Promise.reject(world.answer)
            : Promise.resolve({ status: world.answer, body: '' }),
      },
      close: () => {
        entry.closed = true;
        return Promise.resolve();
      },
    } as unknown as RemoteHost;
  };
  const find = () =>
    world.secret instanceof Error ? Promise.reject(world.secret) : Promise.resolve(world.secret);
  const hosts = new RemoteHosts({
    client: { find },
    clock,
    random: () => 0.5,
    log: memoryLog(),
    userAgent: 'test',
    onChange: (key) => changed.push(key),
    onOpen: () => undefined,
    open,
  });
  const view = () => hosts.of('team/demo', reference);
  return { clock, hosts, opened, changed, waiting, view };
}

describe('remote hosts', () => {
  it('7.1 are looked at aside, and whoever uses them is told', async () => {
    const { changed, opened, view, hosts } = setUp({ secret: secretOf('one'), answer: 200 });
    expect(view().state).toBe('unread');
    await settle();
    expect(view().state).toBe('reached');
    expect([changed, opened.length]).toEqual([['team/demo'], 1]);
    hosts.of('team/other', reference);
    expect(opened).toHaveLength(1);
    hosts.leave('team/demo');
    expect(opened[0]?.closed).toBe(false);
    hosts.leave('team/other');
    await settle();
    expect(opened[0]?.closed).toBe(true);
  });

  it('7.1 new credentials are taken up, and the old way is closed', async () => {
    const world: World = { secret: secretOf('one'), answer: 200 };
    const { clock, opened, view } = setUp(world);
    view();
    await settle();
    world.secret = secretOf('two');
    await clock.advance(10_000);
    expect(opened.map(({ access, closed }) => [access.token, closed])).toEqual([
      ['one', true],
      ['two', false],
    ]);
    expect(view().state).toBe('reached');
  });

  const refused = new ApiError({ request: 'get', code: 500, reason: 'x', message: 'no' } as never);

  it.each<[string, Partial<World>, string, RegExp]>([
    ['its Secret is gone', { secret: undefined }, 'HostSecretMissing', /team\/host is not there/],
    ['its Secret cannot be read', { secret: refused }, 'HostSecretUnread', /cannot be read/],
    [
      'its Secret is of no use',
      { secret: { ...secretOf('x'), data: {} } },
      'HostSecretInvalid',
      /neither the key kubeconfig/,
    ],
    [
      'it does not answer',
      { answer: new NetworkError('get', 'ECONNREFUSED', 'refused') },
      'HostUnreachable',
      /host\.example\.com:6443 does not answer/,
    ],
    ['it refuses the token', { answer: 401 }, 'HostAccessDenied', /renew its credentials/],
    [
      'it refuses to list',
      { problem: 'list pods: 403 Forbidden: no' },
      'HostAccessDenied',
      /ClusterRole karmada-operator-remote/,
    ],
  ])('7.4 %s: named with the remedy, and looked at again', async (_, change, reason, text) => {
    const world: World = { secret: secretOf('one'), answer: 200, ...change };
    const { clock, view, changed } = setUp(world);
    view();
    await clock.advance(20_000);
    const seen = view();
    expect(seen).toMatchObject({ state: 'unreached', problem: { reason } });
    expect('problem' in seen && seen.problem.message).toMatch(text);
    expect(changed).toEqual(['team/demo']);
    Object.assign(world, { secret: secretOf('two'), answer: 200 });
    delete world.problem;
    await clock.advance(60_000);
    expect(view().state).toBe('reached');
    expect(changed.length).toBeGreaterThan(1);
  });

  it('7.4 a Secret that cannot be read for a while takes no host away', async () => {
    const world: World = { secret: secretOf('one'), answer: 200 };
    const { clock, opened, view } = setUp(world);
    view();
    await settle();
    world.secret = refused;
    await clock.advance(60_000);
    expect(view().state).toBe('unreached');
    expect(opened.map(({ closed }) => closed)).toEqual([false]);
    world.secret = secretOf('one');
    await clock.advance(60_000);
    expect([view().state, opened.length]).toEqual(['reached', 1]);
  });

  it('7.4 a host that refuses to list is looked at for long, and nothing of a look stays', async () => {
    const problem = 'list pods: 403 Forbidden: no';
    const { clock, waiting, view } = setUp({ secret: secretOf('one'), answer: 200, problem });
    view();
    await clock.advance(600_000);
    expect(view()).toMatchObject({ problem: { reason: 'HostAccessDenied' } });
    expect(waiting.count).toBe(1);
  });
});
