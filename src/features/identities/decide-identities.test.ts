import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLIENT_COMPONENTS } from '../../pki/inventory.ts';
import type { ClientComponent, IdentityKind } from '../../pki/types.ts';
import type { ReviewResult } from '../../instance/identity-reviews.ts';
import {
  decideIdentities,
  FAILED_AFTER,
  provedComponents,
  PROVED_AFTER,
  SWITCH_ORDER,
  type ComponentIdentity,
  type IdentityFacts,
  type Trial,
} from './decide-identities.ts';

const NOW = 1_000_000_000;
const DENIED: ReviewResult = { denied: 'patch resourcebindings.work.karmada.io' };

const one = (
  component: ClientComponent,
  identity: IdentityKind,
  more: Partial<ComponentIdentity> = {},
): ComponentIdentity => ({ component, identity, isAvailable: true, isDown: false, ...more });

const factsOf = (
  components: readonly ComponentIdentity[],
  more: Partial<IdentityFacts> = {},
): IdentityFacts => ({
  components,
  isSettled: true,
  proved: new Set(),
  refused: new Map(),
  now: NOW,
  ...more,
});

const SCHEDULER = one('scheduler', 'masters');
const WEBHOOK = one('webhook', 'masters');
const allowed = { review: 'allowed' } as const;
const trial = (more: Partial<Trial> = {}): Trial => ({
  component: 'scheduler',
  since: NOW,
  ...more,
});

it('SWITCH_ORDER contains all components with a certificate', () => {
  expect([...SWITCH_ORDER].sort()).toEqual([...CLIENT_COMPONENTS].sort());
});

describe('decideIdentities without a trial', () => {
  it.each<[string, IdentityFacts, object]>([
    [
      'asks for a review of the first component',
      factsOf([WEBHOOK, SCHEDULER]),
      { review: 'scheduler' },
    ],
    [
      'switches a component whose user has all rules',
      factsOf([WEBHOOK, { ...SCHEDULER, ...allowed }]),
      { decided: { 'scheduler-client': 'own' }, trial: { component: 'scheduler', since: NOW } },
    ],
    [
      'keeps the time of a trial whose certificate has not changed yet',
      factsOf([{ ...SCHEDULER, ...allowed }], { trial: trial({ since: NOW - 1 }) }),
      {
        decided: { 'scheduler-client': 'own' },
        trial: { component: 'scheduler', since: NOW - 1 },
      },
    ],
    [
      'keeps a recorded trial while the control plane is not settled, because the certificate may change at once',
      factsOf([WEBHOOK, SCHEDULER], { trial: trial(), isSettled: false }),
      {
        decided: { 'scheduler-client': 'own' },
        trial: { component: 'scheduler', since: NOW },
      },
    ],
    [
      'waits while the control plane is not settled',
      factsOf([{ ...SCHEDULER, ...allowed }], { isSettled: false }),
      {},
    ],
    [
      'waits for a component that is not available',
      factsOf([{ ...SCHEDULER, ...allowed, isAvailable: false }, WEBHOOK]),
      {},
    ],
    [
      'names the rule that a user lacks, and goes on with the next component',
      factsOf([{ ...SCHEDULER, review: DENIED }, WEBHOOK]),
      {
        review: 'webhook',
        findings: new Map([
          ['scheduler', 'its user may not patch resourcebindings.work.karmada.io'],
        ]),
      },
    ],
    [
      'does not try a component again that has failed',
      factsOf([{ ...SCHEDULER, ...allowed }], { refused: new Map([['scheduler', 'x']]) }),
      { refused: new Map([['scheduler', 'x']]), findings: new Map([['scheduler', 'x']]) },
    ],
    ['has nothing to do when all components have switched', factsOf([one('scheduler', 'own')]), {}],
    [
      'never changes a component that has switched, also one that lacks a rule and is not available',
      factsOf([one('scheduler', 'own', { review: DENIED, isAvailable: false, isDown: true })]),
      {},
    ],
  ])('%s', (_, facts, expected) => {
    expect(decideIdentities(facts)).toEqual({
      decided: {},
      refused: new Map(),
      findings: new Map(),
      ...expected,
    });
  });
});

describe('decideIdentities during a trial', () => {
  const own = one('scheduler', 'own', allowed);
  const back = (cause: string): object => ({
    decided: { 'scheduler-client': 'masters' },
    refused: new Map([['scheduler', cause]]),
    findings: new Map([['scheduler', cause]]),
  });
  const goesOn = (next: Trial): object => ({ trial: next, review: 'scheduler' });

  it.each<[string, ComponentIdentity, Trial, Partial<IdentityFacts>, object]>([
    ['counts from the time it is ready', own, trial(), {}, goesOn(trial({ readySince: NOW }))],
    [
      'goes on while the control plane is not ready',
      own,
      trial({ readySince: NOW - 1 }),
      { isSettled: false },
      goesOn(trial()),
    ],
    [
      'goes on until it was ready for ten minutes',
      own,
      trial({ readySince: NOW + 1 - PROVED_AFTER }),
      {},
      goesOn(trial({ readySince: NOW + 1 - PROVED_AFTER })),
    ],
    [
      'goes on until a review has shown the rules again',
      one('scheduler', 'own'),
      trial({ readySince: NOW - PROVED_AFTER }),
      {},
      goesOn(trial({ readySince: NOW - PROVED_AFTER })),
    ],
    ['ends after ten minutes', own, trial({ readySince: NOW - PROVED_AFTER }), {}, {}],
    [
      'goes back when a rule is denied, and names it',
      { ...own, review: DENIED },
      trial({ readySince: NOW }),
      {},
      back('its user may not patch resourcebindings.work.karmada.io'),
    ],
    [
      'goes back when its Pods are not available',
      { ...own, isAvailable: false, isDown: true },
      trial({ downSince: NOW - FAILED_AFTER }),
      {},
      back('its Pods are not available, although its user has all rules of its role'),
    ],
    [
      'waits for Pods that are not available for a short time',
      { ...own, isAvailable: false, isDown: true },
      trial({ readySince: NOW - PROVED_AFTER, downSince: NOW + 1 - FAILED_AFTER }),
      {},
      goesOn(trial({ downSince: NOW + 1 - FAILED_AFTER })),
    ],
    [
      'waits for a rollout of Pods while former ones serve, and counts anew',
      { ...own, isAvailable: false },
      trial({ readySince: NOW - PROVED_AFTER, downSince: NOW - PROVED_AFTER }),
      {},
      goesOn(trial()),
    ],
    [
      'counts anew when its Pods are available again',
      own,
      trial({ downSince: NOW - PROVED_AFTER }),
      {},
      goesOn(trial({ readySince: NOW })),
    ],
  ])('%s', (...[, tried, given, more, expected]) => {
    expect(decideIdentities(factsOf([tried, WEBHOOK], { trial: given, ...more }))).toEqual({
      decided: {},
      refused: new Map(),
      findings: new Map(),
      ...expected,
    });
  });

  it('forgets the trial of a component that the spec no longer has', () => {
    expect(decideIdentities(factsOf([WEBHOOK], { trial: trial() }))).toMatchObject({
      decided: {},
      review: 'webhook',
    });
  });
});

describe('provedComponents', () => {
  const own = one('scheduler', 'own');
  const none = { refused: new Map() };
  const was = { proved: new Set(['scheduler'] as const) };

  it.each<[string, IdentityFacts, Parameters<typeof provedComponents>[1], readonly string[]]>([
    ['has those with an identity of their own', factsOf([own, WEBHOOK]), none, ['scheduler']],
    ['has those whose certificate was deleted', factsOf([WEBHOOK], was), none, ['scheduler']],
    ['lacks one on trial', factsOf([own, WEBHOOK]), { ...none, trial: trial() }, []],
    [
      'lacks one that failed',
      factsOf([own, WEBHOOK]),
      { refused: new Map([['scheduler', 'x']] as const) },
      [],
    ],
    ['is empty when none is in the group', factsOf([own], was), none, []],
  ])('%s', (_, facts, decision, expected) => {
    expect(provedComponents(facts, decision)).toEqual(expected);
  });

  it('are not tried again', () => {
    const facts = factsOf([{ ...SCHEDULER, ...allowed }], was);
    expect(decideIdentities(facts)).toEqual({
      decided: {},
      refused: new Map(),
      findings: new Map(),
    });
  });
});

describe('the switch as a whole', () => {
  interface Step {
    readonly denied: readonly number[];
    readonly down: readonly number[];
    readonly settled: boolean;
    readonly passes: number;
  }
  const indices = fc.array(fc.nat(CLIENT_COMPONENTS.length - 1), { maxLength: 2 });
  const step: fc.Arbitrary<Step> = fc.record({
    denied: indices,
    down: indices,
    settled: fc.boolean(),
    passes: fc.nat(PROVED_AFTER * 2),
  });

  /** Applies decisions to the certificates, as reconciles do. */
  function run(
    steps: readonly Step[],
  ): readonly (readonly [ClientComponent, IdentityKind, boolean])[] {
    const identities = new Map<ClientComponent, IdentityKind>(
      CLIENT_COMPONENTS.map((name) => [name, 'masters']),
    );
    const changes: [ClientComponent, IdentityKind, boolean][] = [];
    let [now, reviewed]: [number, ClientComponent | undefined] = [NOW, undefined];
    let memory: Pick<IdentityFacts, 'proved' | 'refused' | 'trial'> = {
      proved: new Set(),
      refused: new Map(),
    };
    for (const { denied, down, settled, passes } of steps) {
      now += passes;
      const lacks = new Set(denied.map((index) => CLIENT_COMPONENTS[index]));
      const ill = new Set(down.map((index) => CLIENT_COMPONENTS[index]));
      const components = CLIENT_COMPONENTS.map((name) =>
        one(name, identities.get(name) ?? 'masters', {
          isAvailable: !ill.has(name),
          isDown: ill.has(name),
          ...(name === reviewed && { review: lacks.has(name) ? DENIED : 'allowed' }),
        }),
      );
      const facts = { components, isSettled: settled, now, ...memory };
      const found = decideIdentities(facts);
      for (const [name, identity] of Object.entries(found.decided)) {
        const component = name.replace(/-client$/, '') as ClientComponent;
        changes.push([component, identity, reviewed === component && !lacks.has(component)]);
        identities.set(component, identity);
      }
      const proved = new Set(provedComponents(facts, found));
      for (const name of proved) expect(identities.get(name)).toBe('own');
      for (const name of memory.proved) expect(proved.size === 0 || proved.has(name)).toBe(true);
      memory = { proved, refused: found.refused, ...(found.trial && { trial: found.trial }) };
      reviewed = found.review;
    }
    return changes;
  }

  it('switches a component only after its review, each at most once, and one at a time', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const changes = run(steps);
        const own = changes.filter(([, identity]) => identity === 'own');
        expect(own.every(([, , isReviewed]) => isReviewed)).toBe(true);
        expect(new Set(own.map(([name]) => name)).size).toBe(own.length);
        for (const [index, [name, identity]] of changes.entries())
          if (identity === 'masters') expect(changes[index - 1]?.[0]).toBe(name);
      }),
    );
  });

  it('ends with all identities of their own when nothing fails', () => {
    const quiet = { denied: [], down: [], settled: true, passes: PROVED_AFTER };
    const changes = run(Array.from({ length: 5 * CLIENT_COMPONENTS.length }, () => quiet));
    expect(changes.map(([name, identity]) => [name, identity])).toEqual(
      SWITCH_ORDER.map((name) => [name, 'own']),
    );
  });
});
