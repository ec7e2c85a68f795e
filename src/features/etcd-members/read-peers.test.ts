/** The scheme of the peer listener, from objects and responses of the members to the desired StatefulSet. */
import { describe, expect, it } from '@jest/globals';
import { etcdView } from '../../etcd/view.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import { VIEW } from '../../instance/__fixtures__/instance.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { desiredStateOf } from '../components/desired-state.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { peerWarnings } from './peer-warnings.ts';
import { viewOfPods } from './etcd-members.ts';
import { answersOf, setIn, snapshotWith } from '../../etcd-cluster/members/__fixtures__/objects.ts';
import { keepsData, memberStep, peersOf } from './read-facts.ts';
import { peerSchemeOf } from '../../components/etcd/peer-flags.ts';

const SPLIT = ':2380';
const replaced = <T>(value: T, from: string, to: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T;

/** Objects whose flags have http for peers, as those of the Go operator. */
const plain = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  replaced(objects, '--listen-peer-urls=https://', '--listen-peer-urls=http://');

/** Snapshot of members that accept http and are listed with these schemes. */
function httpSnapshot(schemes: readonly string[], given = {}): Snapshot {
  const snapshot = snapshotWith(given);
  const { host } = snapshot;
  const members = answersOf().map((answer) => ({
    ...answer,
    members: answer.members.map((member) => ({
      ...member,
      peerURLs: schemes.map((scheme) => `${scheme}://${member.name}${domain(member)}${SPLIT}`),
    })),
  }));
  const changed = { ...host, objects: plain(host.objects), pods: plain(host.pods) };
  return { ...snapshot, host: changed, etcd: viewOfPods(members, host.pods, AT) };
}

const domain = ({ peerURLs: [url = ''] }: { peerURLs: readonly string[] }): string =>
  url.slice(url.indexOf('.'), url.lastIndexOf(':'));

const emptyDir = { local: { volumeData: { emptyDir: {} } } };

/** StatefulSet that the operator wants. */
function wantedSet(snapshot: Snapshot): KubernetesObject {
  const { desired } = desiredStateOf(TEMPLATES, snapshot, VIEW);
  const found = desired.objects.find(({ object }) => object.kind === 'StatefulSet');
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found.object;
}

describe('members that accept http', () => {
  it('keep http in the template until all are listed with https', () => {
    const snapshot = httpSnapshot(['http']);
    expect(memberStep(snapshot)).toMatchObject({ kind: 'updatePeerURLs' });
    expect(peersOf(snapshot)).toBe('http');
    const wanted = wantedSet(snapshot);
    expect(peerSchemeOf(wanted)).toBe('http');
    expect(JSON.stringify(wanted)).toContain('=http://$(KARMADA_ETCD_NAME).karmada-demo-etcd.');
  });

  it('get https in the template when all are listed with it', () => {
    const snapshot = httpSnapshot(['http', 'https']);
    expect(peersOf(snapshot)).toBe('https');
    expect(wantedSet(snapshot)).toEqual(wantedSet(snapshotWith()));
  });

  it('keep http while the operator has not queried them', () => {
    const snapshot = { ...httpSnapshot(['http', 'https']), etcd: etcdView([], [], AT) };
    expect(peersOf(snapshot)).toBe('http');
  });

  it('are reported, and keep http, when a restart would lose the data', () => {
    const snapshot = httpSnapshot(['http', 'https'], { ...emptyDir, members: 1 });
    expect(keepsData(snapshot)).toBe(false);
    expect(peersOf(snapshot)).toBe('http');
    expect(peerWarnings(snapshot)).toMatchObject([{ reason: 'EtcdPeersWithoutTLS' }]);
    expect(peerWarnings(httpSnapshot(['http']))).toEqual([]);
  });

  it('are not assumed of an etcd with https', () => {
    const snapshot = snapshotWith();
    expect(peerSchemeOf(setIn(snapshot))).toBe('https');
    expect(peersOf(snapshot)).toBe('https');
    expect(peerWarnings(snapshot)).toEqual([]);
  });
});
