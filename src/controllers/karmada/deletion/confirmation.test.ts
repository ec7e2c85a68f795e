import { describe, expect, it } from '@jest/globals';
import {
  CONFIRM_DELETION_ANNOTATION,
  DISABLE_CASCADING_DELETION_LABEL,
  FINALIZER,
  type Karmada,
  type KarmadaStatus,
} from '../../../api/karmada.ts';
import { karmadaOf } from '../../../instance/__fixtures__/instance.ts';
import {
  demandsConfirmation,
  joinedMembers,
  leftBehindText,
  unconfirmedText,
  type JoinedMembers,
} from './confirmation.ts';

function deleted(metadata: object = {}, deletionPolicy?: 'Delete' | 'ConfirmMembers'): Karmada {
  const karmada = karmadaOf(deletionPolicy && { deletionPolicy });
  return { ...karmada, metadata: { ...karmada.metadata, finalizers: [FINALIZER], ...metadata } };
}

const annotated = (value: string): object => ({
  annotations: { [CONFIRM_DELETION_ANNOTATION]: value },
});

describe('demandsConfirmation', () => {
  it.each<[string, Karmada, boolean]>([
    ['the policy demands it', deleted({}, 'ConfirmMembers'), true],
    ['no policy is set', deleted(), false],
    ['the policy is Delete', deleted({}, 'Delete'), false],
    ['the annotation has the UID', deleted(annotated('u-1'), 'ConfirmMembers'), false],
    ['the annotation has another value', deleted(annotated('true'), 'ConfirmMembers'), true],
    ['the Karmada has no UID', deleted({ uid: undefined }, 'ConfirmMembers'), true],
    ['the finalizer is missing', deleted({ finalizers: [] }, 'ConfirmMembers'), false],
    [
      'the objects stay',
      deleted({ labels: { [DISABLE_CASCADING_DELETION_LABEL]: 'true' } }, 'ConfirmMembers'),
      false,
    ],
  ])('decides when %s', (_, karmada, expected) => {
    expect(demandsConfirmation(karmada)).toBe(expected);
  });
});

const STATUS: KarmadaStatus = {
  secretRef: { name: 's' },
  memberClusters: {
    summary: '1/2',
    total: 2,
    ready: 1,
    push: 2,
    pull: 0,
    clusters: [
      { name: 'b', ready: 'False' },
      { name: 'a', ready: 'True' },
    ],
  },
};

describe('joinedMembers', () => {
  it.each<[string, readonly string[] | undefined, KarmadaStatus, JoinedMembers]>([
    [
      'what the control plane reports',
      ['y', 'x'],
      STATUS,
      { total: 2, names: ['x', 'y'], isCurrent: true },
    ],
    ['that none is joined now', [], STATUS, { total: 0, names: [], isCurrent: true }],
    [
      'the last status of a control plane that does not respond',
      undefined,
      STATUS,
      { total: 2, names: ['a', 'b'], isCurrent: false },
    ],
    [
      'that it does not know',
      undefined,
      { secretRef: { name: 's' } },
      { total: undefined, names: [], isCurrent: false },
    ],
    [
      'none for a control plane that was never ready',
      undefined,
      {},
      { total: 0, names: [], isCurrent: false },
    ],
  ])('returns %s', (_, current, status, expected) => {
    expect(joinedMembers(current, status)).toEqual(expected);
  });
});

describe('unconfirmedText', () => {
  it('names the member clusters and the command', () => {
    expect(unconfirmedText(deleted(), { total: 2, names: ['a', 'b'], isCurrent: true })).toBe(
      'deletion blocked by spec.deletionPolicy: member clusters still joined: a, b. Remove the member clusters, or run kubectl -n team annotate karmada karmada-demo --overwrite operator.karmada.io/confirm-deletion=u-1 to delete the control plane anyway',
    );
  });

  it.each<[string, Karmada, JoinedMembers, string]>([
    [
      'names five at most',
      deleted(),
      { total: 30, names: ['a', 'b', 'c', 'd', 'e', 'f'], isCurrent: true },
      'a, b, c, d, e (+25). ',
    ],
    [
      'says that the control plane does not respond',
      deleted(),
      { total: 1, names: ['a'], isCurrent: false },
      'a as last observed; the control plane does not respond. ',
    ],
    [
      'says that they are not known',
      deleted(),
      { total: undefined, names: [], isCurrent: false },
      'member clusters: not known; the control plane does not respond. ',
    ],
    [
      'says that the annotation has another value',
      deleted(annotated('true')),
      { total: 1, names: ['a'], isCurrent: true },
      'confirm-deletion=u-1 (the annotation has a different value now) ',
    ],
  ])('%s', (_, karmada, members, expected) => {
    expect(unconfirmedText(karmada, members)).toContain(expected);
  });
});

describe('leftBehindText', () => {
  it.each<[string, number | undefined]>([
    ['no member cluster is joined', 0],
    ['they are not known', undefined],
  ])('is undefined when %s', (_, total) => {
    expect(leftBehindText({ total, names: [], isCurrent: true })).toBeUndefined();
  });

  it('says what stays in the member clusters', () => {
    const members = { total: 3, names: ['a'], isCurrent: false };
    expect(leftBehindText(members)).toMatch(
      /^member clusters still joined: a \(\+2\) \(as last observed\); .* their workloads keep running/,
    );
  });
});
