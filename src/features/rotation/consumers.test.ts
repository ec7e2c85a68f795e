import { describe, expect, it } from '@jest/globals';
import { AUTHORITIES, LEAVES, SERVICE_ACCOUNT_USES } from '../../pki/inventory.ts';
import type { Use } from '../../pki/specs.ts';
import { CONSUMERS, type ConsumerRow } from './consumers.ts';

/** What users have is a known party, and no Pod. */
const ofPods = (uses: readonly Use[]): readonly Use[] =>
  uses.filter(({ component }) => component !== 'users');

const rowOf = (rows: readonly ConsumerRow[], component: string): ConsumerRow | undefined =>
  rows.find((row) => row.component === component);

describe('CONSUMERS', () => {
  it.each(AUTHORITIES.map((spec) => [spec.name, spec] as const))(
    'has a proof for each consumer that trusts %s',
    (name, { uses }) => {
      const unproven = ofPods(uses).filter(({ component, reload }) => {
        const row = rowOf(CONSUMERS[name], component);
        const isProven = row?.hasHiddenTrust ?? row?.question !== undefined;
        const needsRestart = reload === 'restart';
        return !isProven || (needsRestart && !row?.hasHiddenTrust && !row?.restarts);
      });
      expect(unproven).toEqual([]);
    },
  );

  it.each(LEAVES.map((leaf) => [leaf.name, leaf] as const))(
    'has a proof for each consumer that reads certificate %s only at start',
    (_, { signer, uses }) => {
      const atStart = ofPods(uses).filter(({ reload }) => reload === 'restart');
      const unproven = atStart.filter(({ component }) => {
        const row = rowOf(CONSUMERS[signer], component);
        return !row?.hasHiddenLeaf && !row?.presents;
      });
      expect(unproven).toEqual([]);
    },
  );

  it.each(
    LEAVES.filter(({ usages }) => usages.includes('serverAuth')).map(
      (leaf) => [leaf.name, leaf] as const,
    ),
  )('asks each server for certificate %s', (_, { signer, uses }) => {
    const servers = ofPods(uses).filter(({ as }) => /serving|between members/.test(as));
    const silent = servers.filter(
      ({ component }) => !rowOf(CONSUMERS[signer], component)?.presents,
    );
    expect(silent).toEqual([]);
  });

  it('has a proof for each consumer of the keys of ServiceAccounts', () => {
    const rows = CONSUMERS['service-account-key'];
    expect(rows.map(({ component }) => component)).toEqual(
      SERVICE_ACCOUNT_USES.map(({ component }) => component),
    );
  });
});
