import { describe, expect, it } from '@jest/globals';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import { factsWith, memberId, nameOf, type Given } from './__fixtures__/facts.ts';
import type { MemberPod } from './facts.ts';
import { nextStep } from '../../features/etcd-members/next-step.ts';
import { isReplaceable } from './replace.ts';
import type { MemberStep } from './step.ts';

const GRACE_MS = 600_000;
const defect = 'Node n2 of PersistentVolume pv-1 does not exist';
/** A Pod that has been down for this time. */
const down = (ms: number, more: Partial<MemberPod> = { defect }): Partial<MemberPod> => ({
  downSince: AT - ms,
  ...more,
});
const due = down(GRACE_MS);

type Expected = Readonly<Record<string, unknown>> & { readonly kind: MemberStep['kind'] };
const text = (part: string): unknown => expect.stringContaining(part);
const remove = (ordinal: number): Expected => ({
  kind: 'removeMember',
  memberId: memberId(ordinal),
  pod: { ordinal },
  claim: { ordinal },
  message: `etcd: ${nameOf(ordinal)} is replaced by a new member, because ${defect}`,
});

describe('a voter that cannot start again', () => {
  it.each<[string, Given, Expected]>([
    [
      'stays during the grace period, whose end is named',
      { silent: [1], pods: { 1: down(GRACE_MS - 1) } },
      {
        kind: 'wait',
        isJoining: false,
        dueAt: AT + 1,
        message: text(`${nameOf(1)} is replaced at ${new Date(AT + 1).toISOString()} unless`),
      },
    ],
    ['is removed after the grace period', { silent: [1], pods: { 1: due } }, remove(1)],
    ['is removed at any ordinal', { silent: [0], leader: 2, pods: { 0: due } }, remove(0)],
    [
      'is removed after the grace period of the spec',
      { silent: [2], graceMs: 1_000, pods: { 2: down(1_000) } },
      remove(2),
    ],
    [
      'is removed before another one that has been down for a shorter time',
      { voters: [0, 1, 2, 3, 4], silent: [1, 3], pods: { 1: due, 3: down(GRACE_MS + 1) } },
      remove(3),
    ],
    [
      'stays when the others have no quorum without it',
      { voters: [0, 1, 2], silent: [1], answers: { 2: { confirmed: false } }, pods: { 1: due } },
      { kind: 'none' },
    ],
    [
      'stays when another one is down, although the members still have a quorum',
      { voters: [0, 1, 2, 3], silent: [1, 2], pods: { 1: due } },
      { kind: 'none' },
    ],
    [
      'stays while another voter is not healthy and is needed',
      {
        voters: [0, 1, 2, 3, 4],
        silent: [1, 2],
        answers: { 3: { confirmed: false } },
        pods: { 1: due },
      },
      { kind: 'none' },
    ],
    ['stays when it is healthy', { pods: { 1: due } }, { kind: 'none' }],
    ['stays without a defect', { silent: [1], pods: { 1: down(GRACE_MS, {}) } }, { kind: 'none' }],
    [
      'stays while its node is not ready, and the message names what to do',
      { silent: [1], pods: { 1: down(9 * GRACE_MS, { unreadyNode: 'n2' }) } },
      {
        kind: 'wait',
        dueAt: Infinity,
        message: text('its Node n2 is not ready; the member stays'),
      },
    ],
    [
      'stays while the repair of its Pod is paused',
      { silent: [1], pods: { 1: { ...due, isPaused: true } } },
      { kind: 'blocked', reason: 'RepairPaused', message: text(nameOf(1)) },
    ],
    [
      'stays while the repair of its PVC is paused',
      { silent: [1], pods: { 1: due }, claims: { 1: { isPaused: true } } },
      { kind: 'blocked', reason: 'RepairPaused', message: text(`etcd-data-${nameOf(1)}`) },
    ],
    [
      'stays when its successor could not join',
      {
        silent: [1],
        pods: { 1: due },
        cannotGrow: { reason: 'HostRightsMissing', message: 'no right' },
      },
      { kind: 'blocked', reason: 'HostRightsMissing' },
    ],
    [
      'leaves first when the number of members is reduced',
      { voters: [0, 1, 2], wanted: 1, silent: [1], pods: { 1: down(0) } },
      { kind: 'removeMember', memberId: memberId(1), message: text('leaves the cluster') },
    ],
    [
      'delays no new member during its grace period',
      {
        voters: [0, 1, 2],
        wanted: 5,
        replicas: 5,
        silent: [1],
        pods: { 1: down(0) },
        learner: { ordinal: 3 },
      },
      { kind: 'promote' },
    ],
  ])('%s', (_, given, expected) => {
    expect(nextStep(factsWith(given))).toMatchObject(expected);
  });

  it('gets a new PVC after its removal', () => {
    const given = { voters: [0, 2], wanted: 3, replicas: 3, pods: { 1: due } };
    const claims = { 1: { content: 'thisCluster' as const, isUnbound: false } };
    expect(nextStep(factsWith({ ...given, claims }))).toMatchObject({
      kind: 'recreate',
      pod: { ordinal: 1 },
      claim: { ordinal: 1 },
    });
  });
});

describe('a learner that cannot start again', () => {
  const learner = { ordinal: 2 };
  it('is withdrawn after the grace period', () => {
    const given = { voters: [0, 1], wanted: 3, replicas: 3, learner };
    expect(nextStep(factsWith({ ...given, silent: [2], pods: { 2: due } }))).toMatchObject({
      kind: 'removeMember',
      memberId: memberId(2),
      message: text(`is removed, because ${defect}`),
    });
    expect(nextStep(factsWith({ ...given, silent: [2], pods: { 2: down(0) } }))).toMatchObject({
      kind: 'wait',
      isJoining: true,
    });
  });
});

describe('isReplaceable', () => {
  it('needs a defect and the time', () => {
    const facts = factsWith();
    const [pod] = facts.pods;
    if (pod === undefined) throw new Error('no Pod');
    expect(isReplaceable(facts, pod)).toBe(false);
    expect(isReplaceable(facts, { ...pod, defect })).toBe(false);
    expect(isReplaceable(facts, { ...pod, ...down(GRACE_MS - 1) })).toBe(false);
    expect(isReplaceable(facts, { ...pod, ...due })).toBe(true);
  });
});
