/**
 * Facts about real etcd members on which the move of their connections from http to https is based.
 *
 * @size medium
 * @sample small
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { withEtcd, type EtcdClient } from '../../../src/etcd/client.ts';
import { drawn } from '../../harness/sample.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import { EtcdProcesses } from '../../harness/servers/etcd-processes.ts';

const DOMAIN = 'etcd.team.svc';
const CALL_MS = 3_000;

type Case = readonly [number, 'etcd' | 'etcd-previous'];
const CASES = ([1, 3, 5] as const).flatMap((count): readonly Case[] => [
  [count, 'etcd'],
  [count, 'etcd-previous'],
]);
const titleOf = ([count, release]: Case): string =>
  `move from http to https for ${String(count)} members of ${release} when each one is listed with both schemes and restarts once`;

let etcds: EtcdProcesses;

const ask = <T>(name: string, use: (client: EtcdClient) => Promise<T>): Promise<T> =>
  withEtcd(etcds.target(name), AbortSignal.timeout(CALL_MS), use);

/** Repeats a call until it succeeds. */
function accepted<T>(what: string, call: () => Promise<T>): Promise<T> {
  let seen = '';
  const attempt = async (): Promise<{ readonly result: T } | undefined> => {
    try {
      return { result: await call() };
    } catch (error) {
      seen = String(error);
      return undefined;
    }
  };
  return eventually(what, attempt, () => seen).then(({ result }) => result);
}

/** Starts a cluster whose members accept each other over http. */
async function startPlain(count: number, flags: readonly string[]): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, n) => `etcd-${String(n)}`);
  await etcds.allocate(names);
  for (const name of names) etcds.start(name, { cluster: names, flags });
  await untilHealthy(names);
  return names;
}

/** Waits until each member confirms a read with a quorum, and all follow one leader. @returns the leader */
function untilHealthy(names: readonly string[]): Promise<string> {
  return accepted('all members serve', async () => {
    const found = await Promise.all(
      names.map((name) =>
        ask(name, async (etcd) => {
          await etcd.readWithQuorum();
          return { name, ...(await etcd.status()) };
        }),
      ),
    );
    const leaders = new Set(found.map(({ leaderId }) => leaderId));
    const leader = found.find(({ memberId }) => leaders.has(memberId));
    if (leaders.size !== 1 || leader === undefined) throw new Error('several leaders');
    return leader.name;
  });
}

/** Restarts a member that accepts peers only over https from now on. */
async function restartSecure(name: string, names: readonly string[]): Promise<void> {
  await etcds.server(name).end('SIGTERM');
  const listen = `--listen-peer-urls=${etcds.peerURL(name, 'https')}`;
  etcds.start(name, { cluster: names, flags: [...etcds.peerCertificate(), listen] });
}

const listed = (name: string): Promise<Awaited<ReturnType<EtcdClient['memberList']>>> =>
  accepted('the member list', () => ask(name, (etcd) => etcd.memberList({ linearizable: true })));

async function setPeerURLs(names: readonly string[], urls: (name: string) => readonly string[]) {
  const [first = ''] = names;
  for (const { id, name } of (await listed(first)).members)
    await accepted(`new peer URLs of ${name}`, () =>
      ask(first, (etcd) => etcd.updateMember(id, urls(name))),
    );
}

/** Longest time in milliseconds in which no member confirmed a read with a quorum while `work` ran. */
async function longestGap(names: readonly string[], work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = Date.now();
  let ended = false;
  const read = async (): Promise<void> => {
    for (let n = 0; !ended; n += 1) {
      const name = names[n % names.length] ?? '';
      const isServed = await ask(name, (etcd) => etcd.readWithQuorum()).then(
        () => true,
        () => false,
      );
      if (isServed) {
        longest = Math.max(longest, Date.now() - last);
        last = Date.now();
      }
      await delay(20);
    }
  };
  const reading = read();
  await work().finally(() => (ended = true));
  await reading;
  return longest;
}

describe('connections between etcd members', () => {
  afterEach(async () => etcds.close());

  it.each(drawn(CASES, 2, titleOf).map((one) => [titleOf(one), ...one] as const))(
    '%s',
    async (_, count, release) => {
      etcds = await EtcdProcesses.create(DOMAIN, release);
      const names = await startPlain(count, etcds.peerCertificate());
      const gap = await longestGap(names, async () => {
        await setPeerURLs(names, (name) => [etcds.peerURL(name), etcds.peerURL(name, 'https')]);
        let leader = await untilHealthy(names);
        const left = new Set(names);
        while (left.size > 0) {
          const next = [...left].find((name) => name !== leader) ?? leader;
          left.delete(next);
          await restartSecure(next, names);
          leader = await untilHealthy(names);
        }
        await setPeerURLs(names, (name) => [etcds.peerURL(name, 'https')]);
      });
      const { members } = await listed(names[0] ?? '');
      expect(members.map(({ name, peerURLs }) => [name, ...peerURLs]).sort()).toEqual(
        names.map((name) => [name, etcds.peerURL(name, 'https')]),
      );
      // A new leader is elected over https.
      if (count > 1) {
        const leader = await untilHealthy(names);
        await etcds.stop(leader);
        await untilHealthy(names.filter((name) => name !== leader));
      }
      expect(gap).toBeLessThan(count > 1 ? 5_000 : 20_000);
    },
    180_000,
  );

  it('end when two of three members restart with https before they are listed with it', async () => {
    etcds = await EtcdProcesses.create(DOMAIN);
    const names = await startPlain(3, etcds.peerCertificate());
    const plain = await untilHealthy(names);
    const followers = names.filter((name) => name !== plain);
    for (const name of followers) {
      await restartSecure(name, names);
      // The other one accepts http, so it still exchanges messages with both.
      await untilHealthy(names);
    }
    await etcds.stop(plain);
    for (const name of followers) {
      await accepted(`${name} has no leader`, async () => {
        const { leaderId } = await ask(name, (etcd) => etcd.status());
        expect(leaderId).toBe('0');
      });
      await expect(ask(name, (etcd) => etcd.readWithQuorum())).rejects.toThrow();
    }
  });
});
