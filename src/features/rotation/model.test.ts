/**
 * Random histories of a rotation: crashes after every prefix of writes, late decisions on former facts, Pods that do not
 * answer, Pods that restart with former mounts, agents that nobody updates, aborts and confirmations.
 *
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RotationAuthority } from './authority.ts';
import { histories, Run, type Broken, type History } from './__fixtures__/model-events.ts';
import { EMPTY_RECORD } from './record.ts';
import { RULES, type RotationRules, type RuleInput } from './rules.ts';

const RUNS = process.env['KARMADA_TEST_TIER'] === 'all' ? 100_000 : 5_000;

function runOf({ options, events }: History, broken: Broken = {}): Run {
  const run = new Run(options, broken);
  for (const event of events) {
    run.happen(event);
    if (run.violation !== undefined) break;
  }
  return run;
}

type Lacks = ReturnType<RotationRules['trusted']>;

const except = (lacks: Lacks, why: RegExp): Lacks =>
  lacks.filter((lack) => !why.test(`${lack.party} ${lack.why}`));

/** Only the first Pod of each component, which is what a Service shows. */
const firstPods = (input: RuleInput): RuleInput => {
  const { pods } = input.facts;
  const items = pods.items.filter(({ name }) => name.endsWith('-0'));
  const expected = new Map([...pods.expected.keys()].map((name) => [name, 1]));
  return { ...input, facts: { ...input.facts, pods: { ...pods, items, expected } } };
};

const isProvided = ({ rotation }: RuleInput): boolean => rotation.custom === true;

/** As long as the private key of the new root is missing, Pods cannot be asked. */
const keyless = (input: RuleInput): RuleInput => {
  const { backup } = input.facts;
  const keys = backup.keys.filter((root) => !isProvided(input) || root !== input.rotation.to);
  return { ...input, facts: { ...input.facts, backup: { ...backup, keys } } };
};

const original = (input: RuleInput): RuleInput => ({
  ...{ ...input, record: EMPTY_RECORD },
  facts: { ...input.facts, sinceCreation: [input.rotation.to] },
});

const SETTLING = /^kubelets and clients/;

/** The rules, each broken in one way, with an authority for which that is found soon. */
const BROKEN: Readonly<Record<string, Broken & { readonly authority?: RotationAuthority }>> = {
  'switches without a proof of trust': { trusted: () => [] },
  'asks one Pod of each component whether it trusts': {
    trusted: (input) => RULES.trusted(firstPods(input)),
  },
  'counts a Pod that does not answer as trusting': {
    authority: 'service-account-key',
    trusted: (input) => except(RULES.trusted(input), /does not show/),
  },
  'ignores trust that a Pod has read at its start': {
    trusted: (input) => except(RULES.trusted(input), /started before/),
  },
  'believes that no Secret was ever without the successor': {
    authority: 'etcd-ca',
    trusted: (input) => RULES.trusted({ ...input, record: EMPTY_RECORD }),
  },
  'switches before all kubelets mount the new root': {
    authority: 'service-account-key',
    trusted: (input) => except(RULES.trusted(input), SETTLING),
  },
  'completes without a proof of use': { used: () => [] },
  'completes before all clients have loaded their certificates': {
    authority: 'etcd-ca',
    used: (input, root) => except(RULES.used(input, root), SETTLING),
  },
  'asks one Pod of each component what it presents': {
    used: (input, root) => RULES.used(firstPods(input), root),
  },
  'ignores certificates that a Pod has read at its start': {
    used: (input, root) => except(RULES.used(input, root), /^Pod .* started before/),
  },
  'has no overlap': { overlap: () => undefined },
  'ignores the time of the overlap': {
    overlap: (input) => {
      const rest = RULES.overlap(input);
      return rest?.kind === 'time' ? undefined : rest;
    },
  },
  'ends without a proof of refusal': { refused: () => [] },
  'ends before all kubelets mount what excludes the former root': {
    refused: (input) => except(RULES.refused(input), SETTLING),
  },
  'asks one Pod of each component whether it refuses': {
    refused: (input) => RULES.refused(firstPods(input)),
  },
  'ignores the shared ConfigMap': { authority: 'front-proxy-ca', unnamed: () => [] },
  'asks nobody about a custom CA although it has the private key': {
    authority: 'ca',
    trusted: (input) => RULES.trusted(keyless(input)),
  },
  'believes that no Secret was ever without a custom CA': {
    authority: 'ca',
    trusted: (input) => RULES.trusted(isProvided(input) ? original(input) : input),
  },
  'gives up the former key before the switch': {
    writes: (rotation, facts) => {
      const name = facts.backup.name;
      const isKept = !facts.backup.keys.includes(rotation.from);
      const forget = { kind: 'forgetKey' as const, name, root: rotation.from };
      return [...RULES.writes(rotation, facts), ...(isKept ? [] : [forget])];
    },
  },
  'trusts the next successor from the switch on': {
    writes: (rotation, facts) =>
      RULES.writes(
        rotation.phase === 'Overlap' ? { ...rotation, phase: 'Completing' } : rotation,
        facts,
      ),
  },
  'signs with the new root while it prepares': {
    writes: (rotation, facts) =>
      RULES.writes(
        rotation.phase === 'Preparing' ? { ...rotation, phase: 'Switching' } : rotation,
        facts,
      ),
  },
  'takes any successor': { isFit: () => true },
  'writes without the version that it has read': { ignoresVersions: true },
};

/** The same histories each time. */
const SEED = 48;

describe('a rotation', () => {
  it('never separates two parties that talk, and ends without the former root', () => {
    fc.assert(
      fc.property(histories(), (given) => {
        const run = runOf(given);
        expect(run.violation).toBeUndefined();
        expect(run.settle()).toBeLessThan(Infinity);
        expect(run.violation).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  it.each(Object.entries(BROKEN))('is found to fail when it %s', (_, { authority, ...broken }) => {
    const isSafe = (given: History): boolean => {
      const run = runOf(given, broken);
      return run.violation === undefined && run.settle() < Infinity && run.violation === undefined;
    };
    const { failed } = fc.check(fc.property(histories(authority && [authority]), isSafe), {
      ...{ numRuns: 5_000, seed: SEED, endOnFailure: true },
    });
    expect(failed).toBe(true);
  });
});
