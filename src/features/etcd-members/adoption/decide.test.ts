import { describe, expect, it } from '@jest/globals';
import { peerURL, type MemberFacts, type MemberPod } from '../../../etcd-cluster/members/facts.ts';
import {
  factsWith,
  memberId,
  nameOf,
  type Given,
} from '../../../etcd-cluster/members/__fixtures__/facts.ts';
import { answerOf, silenceOf } from '../../../etcd/__fixtures__/answers.ts';
import type { PeerScheme } from '../../../components/etcd/peer-flags.ts';
import { permissionsOf } from '../../../permissions/needed.ts';
import { permissionText } from '../../../permissions/permission.ts';
import { decideEtcdAdoption, mayReplaceTemplate, type EtcdAdoption } from './decide.ts';
import { adoptedFacts } from './__fixtures__/facts.ts';
import type { AdoptedEtcdFacts } from './facts.ts';
import { adoptionSteps, stepLines } from './steps.ts';

const GO_POD = { listensHttp: true, lacksPeerCertificate: true };
const HTTP_POD = { listensHttp: true };
const HTTPS_POD = {};

interface State {
  readonly count?: number;
  readonly template?: 'go' | PeerScheme;
  readonly pod?: Partial<MemberPod>;
  readonly schemes?: readonly PeerScheme[];
  readonly given?: Given;
}

/** Members of an etcd of the Go operator, of which nothing has changed unless a test says so. */
function membersIn({ count = 3, template = 'go', pod = GO_POD, ...more }: State): MemberFacts {
  const { schemes = ['http'], given = {} } = more;
  const ordinals = Array.from({ length: count }, (_, ordinal) => ordinal);
  const { voters = ordinals } = given;
  const pods = Object.fromEntries(ordinals.map((ordinal) => [ordinal, pod]));
  const facts = factsWith({ voters, pods, ...given });
  const members = facts.view.members.map((member, ordinal) =>
    voters.includes(ordinal)
      ? { ...member, peerURLs: schemes.map((peers) => peerURL({ ...facts, peers }, ordinal)) }
      : member,
  );
  const peers = template === 'https' ? 'https' : 'http';
  return { ...facts, isAdopting: true, peers, view: { ...facts.view, members } };
}

function factsOf(state: State = {}, more: Partial<AdoptedEtcdFacts> = {}): AdoptedEtcdFacts {
  const hasGoTemplate = (state.template ?? 'go') === 'go';
  return adoptedFacts(membersIn(state), { hasGoTemplate, ...more });
}

const kindOf = (adoption: EtcdAdoption): string =>
  adoption.kind === 'step' ? adoption.step.kind : adoption.kind;

const BOTH = ['http', 'https'] as const;

describe('decideEtcdAdoption', () => {
  it.each<[string, AdoptedEtcdFacts, string]>([
    ['records first', factsOf({}, { isRecorded: false }), 'record'],
    ['records each PVC', factsOf({}, { unrecordedClaims: ['claim'] }), 'record'],
    ['replaces the template', factsOf(), 'template'],
    ['waits for the restarts', factsOf({ template: 'http' }), 'template'],
    ['lists https', factsOf({ template: 'http', pod: HTTP_POD }), 'listHttps'],
    ['moves to https', factsOf({ template: 'http', pod: HTTP_POD, schemes: BOTH }), 'https'],
    [
      'waits for the second restarts',
      factsOf({ template: 'https', pod: HTTP_POD, schemes: BOTH }),
      'https',
    ],
    ['removes http', factsOf({ template: 'https', pod: HTTPS_POD, schemes: BOTH }), 'endHttp'],
    ['ends', factsOf({ template: 'https', pod: HTTPS_POD, schemes: ['https'] }), 'complete'],
    ['restarts a single member once', factsOf({ count: 1 }), 'template'],
    [
      'removes the http URL of a single member',
      factsOf({ count: 1, template: 'https', pod: HTTPS_POD }),
      'endHttp',
    ],
    [
      'ends for a single member',
      factsOf({ count: 1, template: 'https', pod: HTTPS_POD, schemes: ['https'] }),
      'complete',
    ],
  ])('%s', (_, facts, expected) => {
    expect(kindOf(decideEtcdAdoption(facts))).toBe(expected);
  });

  it.each<[string, State]>([
    ['one member', { count: 1 }],
    ['three members', {}],
    ['members without a response', { given: { silent: [0, 1, 2] } }],
  ])('changes nothing without consent: %s', (_, state) => {
    const adoption = decideEtcdAdoption(factsOf(state, { isConfirmed: false }));
    expect(adoption).toMatchObject({
      kind: 'pending',
      problem: {
        reason: 'EtcdAdoptionPending',
        message: expect.stringContaining('operator.karmada.io/adopt-etcd=Automatic'),
      },
    });
    expect(mayReplaceTemplate(adoption)).toBe(false);
  });

  it.each<[string, State, string]>([
    ['ends the restarts that it began', { template: 'http' }, 'template'],
    ['does not list https', { template: 'http', pod: HTTP_POD }, 'pending'],
    ['does not move to https', { template: 'http', pod: HTTP_POD, schemes: BOTH }, 'pending'],
    ['ends the move to https', { template: 'https', pod: HTTP_POD, schemes: BOTH }, 'https'],
    ['ends the list', { template: 'https', pod: HTTPS_POD, schemes: BOTH }, 'endHttp'],
    ['ends the restart of a single member', { count: 1, template: 'http' }, 'template'],
    [
      'does not restart a single member again, for https',
      { count: 1, template: 'http', pod: HTTP_POD },
      'pending',
    ],
  ])('%s when the consent is withdrawn', (_, state, expected) => {
    expect(kindOf(decideEtcdAdoption(factsOf(state, { isConfirmed: false })))).toBe(expected);
  });

  const OTHER = { id: 'ff', name: 'other', peerURLs: ['http://10.0.0.9:2380'], isLearner: false };

  const split = {
    reason: 'SplitBrain' as const,
    message: 'etcd: the Pods are members of different etcd clusters',
  };
  const NEVER_ONE = factsOf({
    given: {
      view: {
        splitBrain: split,
        members: [],
        serving: [],
        quorum: false,
        answers: [
          answerOf(nameOf(0), [nameOf(0)], { cluster: 'a' }),
          answerOf(nameOf(1), [nameOf(1), nameOf(2)], { cluster: 'b' }),
          answerOf(nameOf(2), [nameOf(1), nameOf(2)], { cluster: 'b' }),
        ],
      },
    },
  });

  it.each<[string, AdoptedEtcdFacts, string, string]>([
    ['data in Pods', factsOf({}, { isDurable: false }), 'EtcdDataNotDurable', 'KarmadaBackup'],
    [
      'an object without labels',
      factsOf({}, { unowned: ['Service team/demo-etcd'] }),
      'EtcdObjectsNotOwned',
      'Service team/demo-etcd',
    ],
    [
      'a Secret of several owners',
      factsOf({}, { secretOwners: ['ExternalSecret demo'] }),
      'EtcdSecretShared',
      'ExternalSecret demo',
    ],
    ['a pause', factsOf({}, { paused: ['Pod team/demo-etcd-0'] }), 'RepairPaused', 'Pod team'],
    [
      'a PVC that is being deleted',
      factsOf({}, { unsafeClaims: ['etcd-data-demo-etcd-0'] }),
      'EtcdVolumeUnproven',
      'etcd-data-demo-etcd-0',
    ],
    [
      'a hostPath of a node that the Pod may leave',
      factsOf({ count: 1 }, { looseNode: 'node-1' }),
      'EtcdVolumeUnproven',
      '"kubernetes.io/hostname": "node-1"',
    ],
    [
      'a user other than root in the spec',
      factsOf({}, { rootForbiddenBy: 'podSettings' }),
      'EtcdRootForbidden',
      'omit runAsNonRoot and runAsUser',
    ],
    [
      'the flag for restricted Pods',
      factsOf({}, { rootForbiddenBy: 'tenantPods' }),
      'EtcdRootForbidden',
      '--tenant-pods=Restricted',
    ],
    [
      'a namespace with the level restricted',
      factsOf({}, { rootForbiddenBy: 'namespace' }),
      'EtcdRootForbidden',
      'kubectl label namespace team pod-security.kubernetes.io/enforce=baseline --overwrite',
    ],
    [
      'a hostPath in a namespace with the level baseline',
      factsOf({ count: 1 }, { hostPathForbiddenBy: 'baseline' }),
      'PodSecurityRefused',
      'kubectl label namespace team pod-security.kubernetes.io/enforce=privileged --overwrite',
    ],
    [
      'a record of another cluster',
      factsOf(
        {},
        {
          isRecorded: false,
          recordFault: { kind: 'otherCluster', recorded: 'dead', present: 'c0ffee' },
        },
      ),
      'EtcdRecordForeign',
      'names etcd cluster dead, but the members belong to cluster c0ffee',
    ],
    [
      'a record that is not valid',
      factsOf({}, { isRecorded: false, recordFault: { kind: 'unreadable' } }),
      'EtcdRecordUnreadable',
      'kubectl annotate secret demo-ca-backup --namespace team operator.karmada.io/etcd-record-',
    ],
    [
      'a member that does not respond',
      factsOf({ given: { silent: [1] } }),
      'EtcdUnobserved',
      nameOf(1),
    ],
    [
      'a member without a leader',
      factsOf({ given: { answers: { 2: { leaderId: '0' } } } }),
      'EtcdQuorumUnproven',
      nameOf(2),
    ],
    [
      'a Pod that does not exist',
      factsOf({ given: { pods: { 0: GO_POD, 1: GO_POD, 2: undefined } } }),
      'EtcdQuorumUnproven',
      nameOf(2),
    ],
    ['members of two clusters', NEVER_ONE, 'EtcdNeverOneCluster', `${nameOf(1)}: cluster b`],
    [
      'a list that is shorter than the flags',
      factsOf({ count: 1, given: { replicas: 3 } }),
      'EtcdNeverOneCluster',
      `member list has ${nameOf(0)}`,
    ],
    [
      'a member of another name',
      factsOf({ given: { strangers: [OTHER] } }),
      'EtcdMembersBlocked',
      'ff (http://10.0.0.9:2380)',
    ],
    [
      'members whose Pods the Go operator removed',
      factsOf({ given: { voters: [0, 1, 2, 3, 4], replicas: 3 } }),
      'EtcdMembersBlocked',
      `${memberId(3)} (http://${nameOf(3)}.`,
    ],
  ])('is blocked by %s', (_, facts, reason, named) => {
    const adoption = decideEtcdAdoption(facts);
    expect(adoption).toMatchObject({
      kind: 'blocked',
      problem: { reason, message: expect.stringContaining(named) },
    });
    expect(mayReplaceTemplate(adoption)).toBe(false);
  });

  it.each([
    'patch persistentvolumeclaims',
    'patch pods',
    'delete pods',
    'patch statefulsets.apps',
    'update statefulsets.apps',
    'get pods/portforward',
  ])('is blocked without the permission to %s, which the roles grant', (right) => {
    const granted = permissionsOf('operator', 'remote', 'remote-port-forward').map(permissionText);
    expect(granted).toContain(right);
    const adoption = decideEtcdAdoption(factsOf({}, { missingRights: [right] }));
    expect(adoption).toMatchObject({
      kind: 'blocked',
      problem: { reason: 'HostRightsMissing', message: expect.stringContaining(right) },
    });
  });

  describe('after the Go operator has written its template over members with https', () => {
    const separated = { schemes: ['https'] } as const;
    const view = { silent: [0, 1, 2].map((ordinal) => silenceOf(nameOf(ordinal))) };
    const silent = { given: { silent: [0, 1, 2], view } };
    const after = (state: State, more: Partial<AdoptedEtcdFacts> = {}): AdoptedEtcdFacts =>
      factsOf(state, { recordsHttps: true, ...more });

    it.each<[string, AdoptedEtcdFacts]>([
      ['with the consent', after(separated)],
      ['without it', after(separated, { isConfirmed: false })],
      ['when no member responds any more', after(silent, { isRecorded: false })],
    ])('names the StatefulSet to delete %s', (_, facts) => {
      const adoption = decideEtcdAdoption(facts);
      expect(adoption).toMatchObject({
        kind: 'blocked',
        problem: {
          reason: 'EtcdQuorumUnproven',
          message: expect.stringContaining('kubectl delete statefulset demo-etcd --namespace team'),
        },
      });
    });

    it.each<[string, AdoptedEtcdFacts]>([
      ['a single member', after({ ...separated, count: 1 })],
      ['data in Pods', after(separated, { isDurable: false })],
      ['PVCs that end with the StatefulSet', after(separated, { keepsClaims: false })],
      ['a record of another cluster', after(separated, { isRecorded: false })],
      ['a record with http', factsOf(silent, { isRecorded: false })],
      ['a PVC that is being deleted', after(separated, { unsafeClaims: ['claim'] })],
      ['a PVC of unknown data', after(separated, { unrecordedClaims: ['claim'] })],
      ['http URLs', after({ schemes: BOTH })],
    ])('names no StatefulSet to delete with %s', (_, facts) => {
      expect(JSON.stringify(decideEtcdAdoption(facts))).not.toContain('kubectl delete');
    });
  });

  it('tells members of two clusters apart without consent', () => {
    const adoption = decideEtcdAdoption({ ...NEVER_ONE, isConfirmed: false });
    expect(adoption).toMatchObject({ problem: { reason: 'EtcdNeverOneCluster' } });
  });

  it.each<[string, Partial<AdoptedEtcdFacts>]>([
    ['Pods of the Go operator run', { hasGoPods: true }],
    ['there is no peer certificate', { hasPeerCertificate: false }],
  ])('waits while %s', (_, more) => {
    const adoption = decideEtcdAdoption(factsOf({}, more));
    expect(adoption.kind).toBe('step');
    expect(mayReplaceTemplate(adoption)).toBe(false);
  });

  it('keeps only the obstacles of a restart after the first write', () => {
    const began = { template: 'http', given: { silent: [1] } } as const;
    expect(kindOf(decideEtcdAdoption(factsOf(began)))).toBe('template');
    const unsafe = decideEtcdAdoption(factsOf(began, { unsafeClaims: ['claim'] }));
    expect(unsafe.kind).toBe('blocked');
  });
});

describe('adoptionSteps', () => {
  it('names gap, risk, way back and the return for each step', () => {
    expect(stepLines(adoptionSteps(factsOf({ count: 1 })))).toEqual([
      expect.stringMatching(/^step 1 of 3 \(done\): record .*: yes$/),
      expect.stringMatching(/^step 2 of 3: restart the member .*does not answer.*: yes$/),
      expect.stringMatching(/^step 3 of 3: remove the http URLs.*: yes$/),
    ]);
    const returns = adoptionSteps(factsOf()).map(({ kind, canReturn }) => [kind, canReturn]);
    expect(returns).toEqual([
      ['record', true],
      ['template', true],
      ['listHttps', true],
      ['https', false],
      ['endHttp', false],
    ]);
  });

  it.each([
    [2, 'does not answer while each of the two members restarts'],
    [3, 'less than a second'],
    [4, 'less than a second'],
  ])('states the interruption of %i members', (count, gap) => {
    const gaps = adoptionSteps(factsOf({ count })).filter((step) => step.gap.includes(gap));
    expect(gaps.map(({ kind }) => kind)).toEqual(['template', 'https']);
  });

  it('moves data in Pods to a PVC, and states the interruption', () => {
    const steps = adoptionSteps(factsOf({ count: 1 }, { isDurable: false }));
    expect(steps.map(({ kind, canReturn }) => [kind, canReturn])).toEqual([
      ['record', true],
      ['move', false],
    ]);
    expect(stepLines(steps)[1]).toMatch(
      /^step 2 of 2: save the data .*interruption: .*one to two minutes; risk: .*last revision/,
    );
  });

  it('counts a URL of another name as not listed', () => {
    const facts = factsOf({ template: 'http', pod: HTTP_POD });
    const { view } = facts.members;
    const members = view.members.map((member) => ({
      ...member,
      peerURLs: ['http://10.0.0.1:2380'],
    }));
    const steps = adoptionSteps({
      ...facts,
      members: { ...facts.members, view: { ...view, members } },
    });
    expect(steps.find(({ kind }) => kind === 'listHttps')?.isDone).toBe(false);
    expect(view.members.map(({ id }) => id)).toEqual([0, 1, 2].map(memberId));
  });
});
