import { describe, expect, it } from '@jest/globals';
import { API_VERSION, KIND, type Condition, type Karmada } from '../../api/karmada.ts';
import { ADOPTION_ANNOTATION } from '../../features/adoption/decide-adoption.ts';
import { adoptDecision, adoptionText } from './adopt.ts';
import { resumeDecision, suspendDecision } from './suspend-command.ts';

const karmadaOf = (reason: string | undefined, mode?: string): Karmada => {
  const condition: Condition = {
    type: 'Adopted',
    status: 'False',
    reason: reason ?? '',
    message: 'restarts a',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const annotations: Record<string, string> = {
    ...(mode !== undefined && { [ADOPTION_ANNOTATION]: mode }),
  };
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { namespace: 'team', name: 'demo', annotations },
    status: { conditions: reason === undefined ? [] : [condition] },
  };
};

const CONFIRMED = {
  patch: { metadata: { annotations: { [ADOPTION_ANNOTATION]: 'Automatic' } } },
  done: 'confirmed for adoption',
};

describe('adoptDecision', () => {
  it.each([
    ['AdoptionPending', undefined, CONFIRMED],
    ['AdoptionPending', 'DryRun', CONFIRMED],
    ['AdoptionDisabled', 'Never', CONFIRMED],
    ['AdoptionPending', 'Automatic', { done: 'already confirmed for adoption' }],
    [undefined, 'Automatic', { done: 'already confirmed for adoption' }],
  ])('of %s with the annotation %s', (reason, mode, expected) => {
    expect(adoptDecision(karmadaOf(reason, mode))).toEqual(expected);
  });

  it.each([
    ['GoOperatorRunning', 'GoOperatorRunning: restarts a'],
    ['AdoptionConflict', 'AdoptionConflict: restarts a'],
    [undefined, 'nothing to adopt'],
  ])('rejects %s', (reason, message) => {
    expect(() => adoptDecision(karmadaOf(reason))).toThrow(message);
  });
});

it('adoptionText has the message of the condition', () => {
  expect(adoptionText(karmadaOf('AdoptionPending'))).toBe(
    'Karmada team/demo: AdoptionPending: restarts a',
  );
  expect(adoptionText(karmadaOf(undefined))).toBeUndefined();
});

describe('suspendDecision and resumeDecision', () => {
  const suspended = { ...karmadaOf(undefined), spec: { suspend: true } };
  const deleted = { ...suspended, metadata: { name: 'a', deletionTimestamp: 'x' } };

  it('set and remove the field, once', () => {
    expect(suspendDecision(karmadaOf(undefined)).patch).toEqual({ spec: { suspend: true } });
    expect(suspendDecision(suspended)).toEqual({ done: 'already suspended' });
    expect(resumeDecision(suspended).patch).toEqual({ spec: { suspend: null } });
    expect(resumeDecision(karmadaOf(undefined))).toEqual({ done: 'not suspended' });
  });

  it('say what the operator does before they do it', () => {
    const upgrading = { ...karmadaOf(undefined), status: { upgrade: { step: 'etcd' } } };
    expect(suspendDecision(upgrading).effect).toEqual([
      'The operator no longer repairs or changes the control plane, and renews no certificates. It still processes a deletion.',
      'The upgrade stays at step etcd.',
    ]);
    expect(resumeDecision(suspended).effect).toEqual([
      'The operator applies the present spec. Follow it with: kubectl karmada-operator status demo -n team --wait',
    ]);
  });

  it.each([suspendDecision, resumeDecision])(
    '%p rejects a Karmada that is being deleted',
    (decide) => {
      expect(() => decide(deleted)).toThrow('is being deleted');
    },
  );
});
