import { describe, expect, it } from '@jest/globals';
import { factsWith, memberId, nameOf, type Given } from './__fixtures__/facts.ts';
import { peerURL, type MemberFacts } from './facts.ts';
import { nextStep } from '../../features/etcd-members/next-step.ts';
import type { PeerScheme } from '../../components/etcd/peer-flags.ts';
import { recordedList, recordedScheme, securePeers, templateScheme } from './peer-tls.ts';

const BOTH = ['http', 'https'] as const;
type Schemes = readonly PeerScheme[];

const urls = (facts: MemberFacts, ordinal: number, schemes: Schemes): readonly string[] =>
  schemes.map((peers) => peerURL({ ...facts, peers }, ordinal));

/** Facts of members that are listed with these schemes, by ordinal, in Pods that accept http unless told otherwise. */
function factsOf(
  template: PeerScheme,
  schemes: readonly Schemes[],
  { pods = {}, ...given }: Given = {},
): MemberFacts {
  const voters = schemes.map((_, ordinal) => ordinal);
  const http = voters.map((ordinal) => [ordinal, { listensHttp: true, ...pods[ordinal] }] as const);
  const facts = factsWith({ voters, ...given, pods: Object.fromEntries(http) });
  const members = facts.view.members.map((member, index) => ({
    ...member,
    peerURLs: urls(facts, index, schemes[index] ?? ['https']),
  }));
  return { ...facts, peers: template, view: { ...facts.view, members } };
}

const HTTPS_POD = { listensHttp: false };
const ALL_HTTPS = { pods: { 0: HTTPS_POD, 1: HTTPS_POD, 2: HTTPS_POD } };

describe('securePeers', () => {
  it.each<[string, MemberFacts, number, Schemes]>([
    [
      'lists the first member with both schemes',
      factsOf('http', [['http'], ['http'], ['http']]),
      0,
      BOTH,
    ],
    ['continues with the next member', factsOf('http', [BOTH, ['http'], ['http']]), 1, BOTH],
    [
      'adds https when the template changed before',
      factsOf('https', [BOTH, ['http'], BOTH]),
      1,
      BOTH,
    ],
    [
      'removes http when all Pods accept https',
      factsOf('https', [BOTH, BOTH, BOTH], ALL_HTTPS),
      0,
      ['https'],
    ],
    [
      'removes the last http URL',
      factsOf('https', [['https'], ['https'], BOTH], ALL_HTTPS),
      2,
      ['https'],
    ],
    [
      'replaces the URL of a single member after its restart',
      factsOf('https', [['http']], { pods: { 0: HTTPS_POD } }),
      0,
      ['https'],
    ],
  ])('%s', (_, facts, ordinal, schemes) => {
    const expected = {
      kind: 'updatePeerURLs',
      memberId: memberId(ordinal),
      peerURLs: urls(facts, ordinal, schemes),
    };
    expect(securePeers(facts)).toMatchObject(expected);
    expect(nextStep(facts)).toMatchObject(expected);
  });

  it.each<[string, MemberFacts, string]>([
    [
      'a member is not healthy',
      factsOf('http', [['http'], ['http'], ['http']], { silent: [2] }),
      `${nameOf(2)} is not healthy`,
    ],
    [
      'a Pod lacks a certificate for https',
      factsOf('http', [['http'], ['http'], ['http']], {
        pods: { 1: { lacksPeerCertificate: true } },
      }),
      `until ${nameOf(1)} restarts with a peer certificate`,
    ],
    [
      'a Pod still accepts http',
      factsOf('https', [BOTH, BOTH, BOTH], { pods: { 0: HTTPS_POD, 2: HTTPS_POD } }),
      `until ${nameOf(1)} restarts`,
    ],
    [
      'a Pod terminates',
      factsOf('https', [BOTH, BOTH, BOTH], {
        pods: { ...ALL_HTTPS.pods, 1: { ...HTTPS_POD, isTerminating: true } },
      }),
      nameOf(1),
    ],
    ['the Pod of a single member accepts http', factsOf('https', [['http']]), nameOf(0)],
  ])('waits while %s', (_, facts, message) => {
    expect(securePeers(facts)).toMatchObject({
      kind: 'wait',
      message: expect.stringContaining(message),
    });
  });

  it.each<[string, MemberFacts]>([
    ['all members use https', factsOf('https', [['https'], ['https'], ['https']], ALL_HTTPS)],
    ['all members wait for the template', factsOf('http', [BOTH, BOTH, BOTH])],
    ['a single member waits for the template', factsOf('http', [['http']])],
    [
      'a learner joins',
      factsOf('http', [['http'], ['http']], { learner: { ordinal: 2 }, replicas: 3 }),
    ],
  ])('changes no peer URL when %s', (_, facts) => {
    expect(securePeers(facts)).toBeUndefined();
  });
});

describe('templateScheme', () => {
  it.each<[string, MemberFacts, PeerScheme]>([
    ['https for members with https', factsOf('https', [['https'], ['https'], ['https']]), 'https'],
    ['https when it was https before', factsOf('https', [['http'], ['http'], ['http']]), 'https'],
    ['https when all members are listed with both', factsOf('http', [BOTH, BOTH, BOTH]), 'https'],
    ['http until the last member is', factsOf('http', [BOTH, BOTH, ['http']]), 'http'],
    [
      'http while a Pod lacks a certificate',
      factsOf('http', [BOTH, BOTH, BOTH], { pods: { 1: { lacksPeerCertificate: true } } }),
      'http',
    ],
    ['https for a single member', factsOf('http', [['http']]), 'https'],
    ['http for a single member that grows', factsOf('http', [['http']], { replicas: 3 }), 'http'],
    ['http without a quorum', factsOf('http', [BOTH, BOTH, BOTH], { silent: [1, 2] }), 'http'],
    ['http until the cluster is recorded', factsOf('http', [BOTH], { isFormed: false }), 'http'],
  ])('is %s', (_, facts, expected) => {
    expect(templateScheme(facts, true)).toBe(expected);
  });

  it('stays http when a restart would lose the data', () => {
    expect(templateScheme(factsOf('http', [['http']]), false)).toBe('http');
  });
});

describe('recordedScheme', () => {
  const { members: listed } = factsOf('http', [['http'], BOTH, ['http']]).view;
  const { members: secured } = factsOf('http', [['http'], ['https'], BOTH]).view;

  it.each<[string, PeerScheme, MemberFacts['view']['members'], object]>([
    ['http while members are listed with it', 'http', listed, { peers: 'http' }],
    ['http while the list is unknown', 'http', [], { peers: 'http' }],
    ['https when another operator listens for http again', 'http', secured, {}],
    ['https', 'https', listed, {}],
  ])('is %s', (_, listens, members, expected) => {
    expect(recordedScheme(listens, members)).toEqual(expected);
  });
});

describe('recordedList', () => {
  it.each<[string, readonly string[], object]>([
    ['http', ['http://a', 'https://a'], { listsHttp: true }],
    ['https', ['https://a'], {}],
  ])('notes members that are listed with %s', (_, peerURLs, expected) => {
    expect(recordedList([{ peerURLs: ['https://b'] }, { peerURLs }])).toEqual(expected);
  });
});

describe('members that are listed with an https URL of another name', () => {
  const other = 'https://demo-etcd-0.demo-etcd.team.svc.other.local:2380';
  const facts = { ...factsOf('http', [BOTH, BOTH, BOTH]), isAdopting: true };
  const members = facts.view.members.map((member, ordinal) =>
    ordinal === 0 ? { ...member, peerURLs: [...urls(facts, 0, ['http']), other] } : member,
  );
  const found = { ...facts, view: { ...facts.view, members } };

  it('do not restart with https', () => {
    expect(templateScheme(facts, true)).toBe('https');
    expect(templateScheme(found, true)).toBe('http');
  });

  it('are listed with that of their Pod too', () => {
    const [http = '', https = ''] = urls(facts, 0, BOTH);
    expect(securePeers(found)).toMatchObject({
      kind: 'updatePeerURLs',
      memberId: memberId(0),
      peerURLs: [http, other, https],
    });
  });
});
