import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../../../src/api/defaults/defaults.ts';
import { warnings } from '../../../src/api/warnings/warnings.ts';
import { CONDITION_REASONS } from '../../../src/api/reasons/condition-reasons.ts';
import { validate } from '../../../src/api/validation/validation.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import { FAULTS } from './all-faults.ts';
import { SMALL } from './fault.ts';

const karmadaOf = (spec: object): Karmada => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  spec,
  metadata: { name: 'karmada', namespace: 'team' },
});

describe('faults', () => {
  it('have names that differ, and are at least 60', () => {
    expect(new Set(FAULTS.map(({ id }) => id)).size).toBe(FAULTS.length);
    expect(new Set(FAULTS.map(({ title }) => title)).size).toBe(FAULTS.length);
    expect(FAULTS.length).toBeGreaterThanOrEqual(60);
  });

  const reported = FAULTS.filter(({ reports }) => reports !== undefined);

  it.each(reported)('name the issues that report them: $id', ({ reports = [] }) => {
    expect(reports.length).toBeGreaterThan(0);
    expect(new Set(reports).size).toBe(reports.length);
    for (const report of reports) expect(report).toMatch(/^[\w-]+\/[\w.-]+#[1-9]\d*$/);
  });

  it('are reported by users, at least 40 of them', () => {
    expect(reported.length).toBeGreaterThanOrEqual(40);
  });

  it.each(FAULTS)('expect a reason that is documented: $id', ({ named }) => {
    const others = ['Failed'];
    const known = [...CONDITION_REASONS.map(({ reason }) => reason), ...others];
    expect(known).toContain(named.reason);
  });

  const warned = FAULTS.filter(({ named }) => named.type === 'Warning');

  it.each(warned)('cause only the warning that they expect: $id', ({ components, spec, named }) => {
    const karmada = karmadaOf({ ...spec, components });
    const facts = { defaultStorageClass: true, ipFamily: 'IPv4' } as const;
    const found = warnings(karmada, defaultSpec(karmada.spec, facts), facts);
    expect(found.map(({ reason }) => reason)).toEqual([named.reason]);
    expect(found[0]?.message).toMatch(named.object);
    expect(found[0]?.message).toMatch(named.remedy);
  });

  it.each(FAULTS)('are rejected by the operator exactly if they expect that: $id', (fault) => {
    const { components = SMALL, spec, named } = fault;
    const errors = validate(karmadaOf({ ...spec, components }));
    expect(errors.length > 0).toBe(named.reason === 'ValidationError');
    const texts = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
    if (errors.length > 0) {
      expect(texts).toMatch(named.object);
      expect(texts).toMatch(named.remedy);
    }
  });
});
