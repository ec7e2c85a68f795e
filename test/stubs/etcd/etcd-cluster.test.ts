import { describe, expect, it } from '@jest/globals';
import type { PeerScheme } from '../../../src/components/etcd/peer-flags.ts';
import { EtcdCluster, type MemberProcess } from './etcd-cluster.ts';

const urlOf = (scheme: PeerScheme, id: bigint): string => `${scheme}://etcd-${String(id)}:2380`;

const process = (listens: PeerScheme, hasCertificate = true): MemberProcess => ({
  name: 'etcd',
  listens,
  hasCertificate,
  end: () => undefined,
});

/** A cluster whose members are listed with these schemes. */
function clusterOf(count: number, schemes: readonly PeerScheme[]): EtcdCluster {
  const ids = Array.from({ length: count }, (_, index) => BigInt(index + 1));
  return new EtcdCluster(
    99n,
    ids.map((id) => ({
      id,
      name: '',
      peerURLs: schemes.map((scheme) => urlOf(scheme, id)),
      isLearner: false,
    })),
  );
}

describe('EtcdCluster', () => {
  it.each<[string, readonly PeerScheme[], readonly MemberProcess[], boolean]>([
    ['one member, whatever it listens for', ['http'], [process('https')], true],
    ['members that are listed as they listen', ['http'], Array(3).fill(process('http')), true],
    ['members that listen for another scheme', ['http'], Array(3).fill(process('https')), false],
    [
      'members with both URLs and certificates',
      ['http', 'https'],
      [process('http'), process('https'), process('https')],
      true,
    ],
    [
      'members without a certificate for https',
      ['http', 'https'],
      [process('http', false), process('https'), process('http', false)],
      true,
    ],
    [
      'one member of another scheme',
      ['http'],
      [process('http'), process('http'), process('https')],
      true,
    ],
  ])('has a quorum of %s: %#', (_, schemes, processes, hasQuorum) => {
    const cluster = clusterOf(processes.length, schemes);
    processes.forEach((one, index) => cluster.start(BigInt(index + 1), one));
    expect(cluster.hasQuorum).toBe(hasQuorum);
  });

  it('lets a member that the others do not reach follow no leader', () => {
    const cluster = clusterOf(3, ['http']);
    cluster.start(1n, process('http'));
    cluster.start(2n, process('http'));
    cluster.start(3n, process('https'));
    expect([1n, 2n, 3n].map((id) => cluster.leaderOf(id))).toEqual([1n, 1n, 0n]);
    cluster.update(3n, [urlOf('http', 3n), urlOf('https', 3n)]);
    expect(cluster.leaderOf(3n)).toBe(1n);
  });

  it('keeps its leader while a majority follows it', () => {
    const cluster = clusterOf(3, ['https']);
    for (const id of [1n, 2n, 3n]) cluster.start(id, process('https'));
    cluster.stop(3n);
    expect(cluster.leader).toBe(1n);
    cluster.stop(1n);
    expect([cluster.leader, cluster.hasQuorum]).toEqual([0n, false]);
  });
});
