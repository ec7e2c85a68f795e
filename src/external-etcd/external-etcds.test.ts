import { randomBytes } from 'node:crypto';
import { anyClient } from '../kubernetes/client/any-client.fixture.ts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  manualClock,
  memoryLog,
  settle,
  type ManualClock,
} from '../kubernetes/time/clock.fixture.ts';
import { ALLOWED_NAMESPACES_ANNOTATION } from '../api/secrets/secret-grant.ts';
import { createSecretPolicy } from '../api/secrets/secret-policy.ts';
import { DEFAULT_ADDRESSES } from '../kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../kubernetes/connection/name-resolver.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { makeKey } from '../pki/keys.ts';
import type { KeyPair } from '../pki/types.ts';
import { selfSigned } from '../pki/x509.ts';
import type { Health, Observation } from './probe.ts';
import type { EtcdCheck, EtcdCheckRequest } from './check.ts';
import { ExternalEtcds } from './external-etcds.ts';
import type { StoredData } from './stored-data.ts';

const WANT: EtcdCheckRequest = {
  namespace: 'team',
  dnsDomain: 'cluster.local',
  endpoints: ['https://a:2379', 'https://b:2379'],
  secret: { namespace: 'storage', name: 'etcd' },
  prefixes: ['/registry'],
  karmada: 'demo',
  copy: 'karmada-demo-etcd-client',
};

let pair: KeyPair;
beforeAll(async () => {
  const now = new Date('2026-01-01T00:00:00Z');
  pair = await selfSigned('CA', await makeKey('ec-p256'), { now, random: randomBytes });
});

interface Environment {
  readonly clock: ManualClock;
  readonly etcds: ExternalEtcds;
  readonly log: ReturnType<typeof memoryLog>;
  /** Keys of Karmada objects for which a reconcile was requested. */
  readonly asked: string[];
  looks: number;
  /** Number of servers whose certificates took long. */
  verified: number;
  /** Time in milliseconds for which the thread is busy with a Secret. */
  busyMs: number;
  reply: Health;
  data: StoredData | undefined;
  secret: KubernetesObject | undefined | Error;
  /** Existing copy of the Secret. */
  copy: KubernetesObject | undefined;
  of(want?: EtcdCheckRequest, generation?: string): EtcdCheck | undefined;
}

const HEALTHY: Health = { healthy: true, reason: '' };
const SICK: Health = { healthy: false, reason: 'etcdserver: no leader' };

function environment(): Environment {
  const clock = manualClock();
  const log = memoryLog();
  const data = Object.fromEntries(
    Object.entries({
      'ca.crt': pair.certificate,
      'tls.crt': pair.certificate,
      'tls.key': pair.key,
    }).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const asked: string[] = [];
  let busy = 0;
  const etcds = new ExternalEtcds({
    clock: {
      after: (ms, action) => clock.after(ms, action),
      monotonic: () => clock.monotonic() + busy,
      // Read once for each Secret.
      wall: () => {
        busy += here.busyMs;
        return clock.wall();
      },
    },
    log,
    secretPolicy: createSecretPolicy('Granted', () => []),
    addresses: addressesOf(DEFAULT_ADDRESSES, new NameResolver()),
    random: () => 0.5,
    client: anyClient({
      find: async (_, { name }) => {
        if (name === WANT.copy) return here.copy;
        if (here.secret instanceof Error) throw here.secret;
        return here.secret;
      },
    }),
    onChange: (key) => asked.push(key),
    ask: async (endpoint, _, signal): Promise<Observation> => {
      here.looks += 1;
      if (endpoint.host === 'hangs')
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (endpoint.host === 'slow')
        await endpoint.inTurn?.(() => {
          here.verified += 1;
          busy += 300;
        }, signal);
      const { reply: health, data } = here;
      return { endpoint, health, version: '3.6.6', ...(data && { data }) };
    },
  });
  const annotations = { [ALLOWED_NAMESPACES_ANNOTATION]: '*' };
  const metadata = { name: 'etcd', namespace: 'storage', annotations };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data };
  const here: Environment = {
    clock,
    etcds,
    log,
    asked,
    looks: 0,
    verified: 0,
    busyMs: 0,
    reply: HEALTHY,
    data: { kind: 'none', clusterID: 'c1' },
    secret,
    copy: undefined,
    of: (want = WANT, generation = 'u/1') => etcds.of('team/demo', generation, want),
  };
  return here;
}

describe('ExternalEtcds', () => {
  it('checks all members of an etcd in parallel in the background', async () => {
    const here = environment();
    expect(here.of()).toBeUndefined();
    expect(here.of()).toBeUndefined();
    await settle();
    expect([here.looks, here.asked]).toEqual([2, ['team/demo']]);
    expect(here.of()).toMatchObject({ outcome: 'served', version: '3.6.6' });
    expect(here.looks).toBe(2);
  });

  it('checks a healthy etcd once per minute and requests no reconcile while nothing changes', async () => {
    const here = environment();
    here.of();
    await here.clock.advance(59_000);
    here.of();
    expect([here.looks, here.asked.length]).toEqual([2, 1]);
    await here.clock.advance(601_000);
    expect([here.looks, here.asked.length]).toEqual([2 * 12, 1]);
    expect(here.log.lines.length).toBe(1);
    here.reply = SICK;
    await here.clock.advance(60_000);
    expect([here.asked.length, here.of()?.outcome]).toEqual([2, 'unserved']);
  });

  it('checks a healthy etcd again after 2 s when its data could not be read', async () => {
    const here = environment();
    here.data = undefined;
    here.of();
    await settle();
    here.data = { kind: 'cluster', prefix: '/registry', uid: 'u' };
    await here.clock.advance(2_000);
    expect(here.of()).toMatchObject({ outcome: 'served', data: here.data });
    expect(here.asked.length).toBe(2);
  });

  it('checks an unhealthy etcd with exponential backoff from 2 s to 30 s', async () => {
    const here = environment();
    here.reply = SICK;
    const pauses: number[] = [];
    let last = 0;
    here.of();
    await settle();
    for (let turn = 0; turn < 8; turn += 1) {
      const before = here.looks;
      for (let second = 0; second < 60 && here.looks === before; second += 1)
        await here.clock.advance(1_000);
      pauses.push((here.clock.monotonic() - last) / 1_000);
      last = here.clock.monotonic();
    }
    expect(pauses).toEqual([2, 4, 8, 16, 30, 30, 30, 30]);
    expect(here.asked.length).toBe(1);
    here.reply = HEALTHY;
    await here.clock.advance(30_000);
    expect([here.asked.length, here.of()?.outcome]).toEqual([2, 'served']);
  });

  it('checks immediately when the spec changes', async () => {
    const here = environment();
    const found = here.secret;
    here.secret = undefined;
    here.of();
    await settle();
    expect(here.of()).toMatchObject({
      outcome: 'unread',
      problem: { reason: 'SecretNotGranted' },
    });
    here.secret = found;
    here.of(WANT, 'u/2');
    await settle();
    expect(here.of(WANT, 'u/2')?.outcome).toBe('served');
    const other = { ...WANT, endpoints: ['https://c:2379'] };
    expect(here.of(other, 'u/3')).toBeUndefined();
    await settle();
    expect(here.of(other, 'u/3')).toBeDefined();
  });

  it('reports a failed read, not a missing Secret, when the Secret cannot be read', async () => {
    const here = environment();
    here.secret = new Error('no answer');
    here.of();
    await settle();
    expect(here.of()).toEqual({
      outcome: 'unread',
      problem: {
        reason: 'EtcdSecretReadFailed',
        message: 'Secret storage/etcd cannot be read: no answer; the operator retries',
      },
    });
  });

  it('requests a reconcile after again() and none after forget()', async () => {
    const here = environment();
    here.of();
    await settle();
    here.etcds.again('team/demo');
    expect(here.asked.length).toBe(2);
    here.of();
    here.etcds.forget('team/demo');
    await settle();
    expect([here.asked.length, here.clock.pending()]).toEqual([2, 0]);
    here.etcds.close();
  });

  it('has no private key in results and logs', async () => {
    const here = environment();
    here.reply = SICK;
    here.of();
    await settle();
    const [line = ''] = pair.key.split('\n').slice(1);
    expect(JSON.stringify([here.of(), here.log.lines])).not.toContain(line);
  });

  const refused = (secret: Environment['secret']): KubernetesObject => ({
    ...(secret as KubernetesObject),
    metadata: { name: 'etcd', namespace: 'storage' },
  });

  it('gives the same answer for a Secret of another namespace that does not exist', async () => {
    const answer = async (
      secret: Environment['secret'],
      want = WANT,
    ): Promise<EtcdCheck | undefined> => {
      const here = environment();
      here.secret = secret;
      here.of(want);
      await settle();
      return here.of(want);
    };
    const ungranted = refused(environment().secret);
    const missing = await answer(undefined);
    expect(missing).toMatchObject({ problem: { reason: 'SecretNotGranted' } });
    expect(await answer(ungranted)).toEqual(missing);
    expect(await answer({ ...ungranted, data: {} })).toEqual(missing);
    const own = { ...WANT, secret: { namespace: 'team', name: 'etcd' } };
    expect(await answer(undefined, own)).toMatchObject({
      problem: { reason: 'EtcdSecretMissing' },
    });
  });

  it('does not probe the etcd when the Secret is not granted', async () => {
    const here = environment();
    here.secret = refused(here.secret);
    here.of();
    await settle();
    expect([here.of(), here.looks]).toMatchObject([
      { outcome: 'unread', problem: { reason: 'SecretNotGranted' } },
      0,
    ]);
  });

  it('probes the etcd with the existing copy when the Secret is no longer granted', async () => {
    const here = environment();
    here.copy = { ...(here.secret as KubernetesObject), metadata: { name: 'copy' } };
    here.secret = refused(here.secret);
    here.of();
    await settle();
    expect(here.of()).toMatchObject({
      outcome: 'served',
      notGranted: { reason: 'SecretNotGranted' },
    });
  });

  describe('with many control planes', () => {
    /** Starts the checks of control planes in the namespace `crowd`. @returns their keys */
    const crowd = (here: Environment, count: number, endpoint: string): readonly string[] => {
      const want = { ...WANT, namespace: 'crowd', endpoints: [endpoint] };
      const keys = Array.from({ length: count }, (_, index) => `crowd/${String(index)}`);
      for (const key of keys) here.etcds.of(key, 'u/1', want);
      return keys;
    };

    it('checks few of one namespace at once while they hang, and those of another one without delay', async () => {
      const here = environment();
      const keys = crowd(here, 1_000, 'https://hangs:2379');
      await here.clock.advance(60_000);
      expect([here.looks, here.asked]).toEqual([16, []]);
      here.of();
      await settle();
      expect([here.of()?.outcome, here.looks]).toEqual(['served', 18]);
      here.etcds.forget(keys[0] ?? '');
      await settle();
      expect(here.looks).toBe(19);
      for (const key of keys) here.etcds.forget(key);
      await settle();
      expect([here.looks, here.asked]).toEqual([19, ['team/demo']]);
    });

    it('gives a namespace whose Secrets take long to parse a fifth of the time', async () => {
      const here = environment();
      here.busyMs = 250;
      crowd(here, 1_000, 'https://a:2379');
      await here.clock.advance(1_000 * 10 - 1);
      expect(here.looks).toBe(10);
      here.busyMs = 0;
      here.of();
      await here.clock.advance(250);
      expect(here.of()?.outcome).toBe('served');
    });

    it('spends a fifth of the time on the certificates of servers of one namespace, and checks another one soon', async () => {
      const here = environment();
      crowd(here, 1_000, 'https://slow:2379');
      await here.clock.advance(300 * 4 * 3 - 1);
      expect(here.verified).toBe(3);
      const want = { ...WANT, endpoints: ['https://slow:2379'] };
      here.of(want);
      await here.clock.advance(300 * 2);
      expect(here.of(want)?.outcome).toBe('served');
    });

    it('checks 1,000 healthy etcds once per minute', async () => {
      const here = environment();
      for (let index = 0; index < 1_000; index += 1) {
        const namespace = `ns-${String(index % 5)}`;
        const want = { ...WANT, namespace, endpoints: ['https://a:2379'] };
        here.etcds.of(`${namespace}/${String(index)}`, 'u/1', want);
      }
      await settle();
      expect([here.looks, here.asked.length]).toEqual([1_000, 1_000]);
      await here.clock.advance(60_000);
      expect(here.looks).toBe(2_000);
    });
  });
});
