import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FEATURES, FEATURES_ANNOTATION, featuresInUse, newerOperatorProblem } from './features.ts';
import type { Feature } from './features.ts';

const karmada = (features?: string) => ({
  metadata: {
    name: 'demo',
    ...(features !== undefined && { annotations: { [FEATURES_ANNOTATION]: features } }),
  },
});
const feature = (name: string, isUsed = true): Feature => ({
  name,
  since: '0.3.0',
  isInUse: () => isUsed,
});

describe('featuresInUse', () => {
  it('names the features in use with the version that knows them', () => {
    const features = [feature('rotation'), feature('encryption'), feature('other', false)];
    expect(featuresInUse(karmada(), features)).toBe('encryption@0.3.0,rotation@0.3.0');
    expect(featuresInUse(karmada(), [])).toBeUndefined();
  });

  it('is a value that an operator with these features accepts, and an older one does not', () => {
    const features = [feature('rotation'), feature('encryption')];
    const value = featuresInUse(karmada(), features);
    expect(newerOperatorProblem(karmada(value), features)).toBeUndefined();
    const older = newerOperatorProblem(karmada(value), [feature('rotation')]);
    expect(older?.reason).toBe('NewerOperatorRequired');
    expect(older?.message).toContain('(encryption, since 0.3.0)');
    expect(older?.message).not.toContain('rotation');
  });
});

describe('newerOperatorProblem', () => {
  it('accepts a Karmada without features', () => {
    expect(newerOperatorProblem(karmada(), [])).toBeUndefined();
    expect(newerOperatorProblem(karmada(''), [])).toBeUndefined();
    expect(newerOperatorProblem(karmada(' , '), [])).toBeUndefined();
  });

  it('does not know a feature that it cannot read', () => {
    const known = [feature('encryption')];
    for (const text of ['encryption', 'encryption@', '@1', 'x y', 'Encryption@1', '{"a":1}'])
      expect(newerOperatorProblem(karmada(text), known)).toBeDefined();
    expect(newerOperatorProblem(karmada('encryption@0.9.0'), known)).toBeUndefined();
  });

  it('names 20 features, and the number of the others', () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `feature-${n}@1.0.0`);
    const message = newerOperatorProblem(karmada(names.join(',')), [])?.message ?? '';
    expect(message).toContain('feature-19, since 1.0.0, and 9980 more)');
    expect(message.length).toBeLessThan(2_000);
  });

  it('has a short message without control characters for any value', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000 }), (text) => {
        const message = newerOperatorProblem(karmada(text), [])?.message ?? '';
        expect(/[\u0000-\u001f]/.test(message)).toBe(false);
      }),
    );
  });
});

describe('own identities', () => {
  interface Given {
    readonly features?: string;
    readonly installed?: true;
    readonly left?: true;
    readonly onTrial?: true;
    readonly imageTag?: string;
  }
  const isInUse = ({ features, installed, left, onTrial, imageTag = '' }: Given): boolean => {
    const { metadata } = karmada(features);
    const annotations = {
      ...metadata.annotations,
      ...(left && { 'operator.karmada.io/component-identities': 'Masters' }),
    };
    const trial = { component: 'descheduler', since: '2026-01-01T00:00:00Z' };
    const status = {
      ...(installed && { secretRef: { name: 'admin', namespace: 'team' } }),
      ...(onTrial && { componentIdentities: { trial } }),
    };
    const spec = { components: { karmadaAPIServer: { imageTag } } };
    const value = featuresInUse({ metadata: { ...metadata, annotations }, spec, status });
    return value?.includes('own-identities@') === true;
  };

  const features = 'own-identities@0.1.0';

  it.each<[string, boolean, Given]>([
    ['a new control plane', true, {}],
    ['a new one with an API server that has FlowSchemas', true, { imageTag: 'v1.30.0' }],
    ['a new one with an API server that may lack them', false, { imageTag: 'v1.29.9' }],
    ['a new one with a tag without a version', false, { imageTag: 'production' }],
    ['an installed one without the record', false, { installed: true }],
    ['an installed one with the record', true, { features, installed: true }],
    [
      'an installed one whose first component is about to switch',
      true,
      { installed: true, onTrial: true },
    ],
    ['one whose user leaves them', false, { features, installed: true, left: true }],
    ['a new one whose user does not want them', false, { left: true }],
  ])('of %s are recorded: %s', (_, expected, given) => {
    expect(isInUse(given)).toBe(expected);
  });
});

describe('features of this version', () => {
  it('have a row in docs/operate/upgrade.md that says how to leave them', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operate/upgrade.md'), 'utf8');
    expect(FEATURES.filter(({ name }) => !page.includes(`| \`${name}\``))).toEqual([]);
    expect(page).toContain(FEATURES_ANNOTATION);
  });
});
