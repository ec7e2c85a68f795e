import { describe, expect, it } from '@jest/globals';
import { IDENTITIES } from '../../src/controlplane/rbac-rules.ts';
import { findingsText, readReport, resultText, skippedByReason, unusedEntries } from './report.ts';
import { operatorSuite } from './suites/operator.ts';
import type { LeftOut, PeerSuite } from './suites/suite.ts';

const spec = (text: string, state: string, fields: object = {}) => ({
  LeafNodeType: 'It',
  LeafNodeText: text,
  ContainerHierarchyTexts: ['group'],
  State: state,
  ...(state === 'failed' && { Failure: { Message: 'no such file' } }),
  ...fields,
});

const suiteNode = (type: string, state: string) =>
  spec('', state, { LeafNodeType: type, ContainerHierarchyTexts: null });

const report = (...specs: readonly object[]): string => JSON.stringify([{ SpecReports: specs }]);

const suiteWith = (...leftOut: readonly LeftOut[]): PeerSuite => ({
  ...operatorSuite('v1.18.2'),
  leftOut,
});

describe('readReport', () => {
  it('distinguishes passed, failed and skipped specs', () => {
    const json = report(
      ...[spec('a', 'passed'), spec('b', 'failed'), spec('c', 'skipped'), spec('d', 'pending')],
      ...[spec('e', 'timedout'), suiteNode('BeforeSuite', 'passed')],
    );
    const { passed, failed, skipped } = readReport(json);
    expect(passed).toEqual(['group › a']);
    expect(failed).toEqual(['group › b: no such file', 'group › e: timedout']);
    expect(skipped.map(({ texts }) => texts.join())).toEqual(['group,c', 'group,d']);
  });

  it('counts a failed suite node as a failure', () => {
    const { failed } = readReport(report(suiteNode('SynchronizedBeforeSuite', 'failed')));
    expect(failed).toEqual(['SynchronizedBeforeSuite: no such file']);
  });

  it('accepts a suite without specs', () => {
    const empty = { passed: [], failed: [], skipped: [] };
    expect(readReport('[{"SpecReports":null}]')).toEqual(empty);
  });

  it('returns the labels of the spec and of its containers', () => {
    const labels = { LeafNodeLabels: ['own'], ContainerHierarchyLabels: [['outer'], null] };
    const { skipped } = readReport(report(spec('a', 'skipped', labels)));
    expect(skipped).toEqual([{ texts: ['group', 'a'], labels: ['outer', 'own'], message: '' }]);
  });
});

describe('skippedByReason', () => {
  const byLabel = { label: 'kind', reason: 'needs kind' };
  const byName = { pattern: 'group b', reason: 'too slow' };

  it('groups specs by the entry that leaves them out, by their own message, or as disabled', () => {
    const result = readReport(
      report(
        ...[spec('a', 'skipped', { LeafNodeLabels: ['kind'] }), spec('b', 'skipped')],
        ...[spec('c', 'skipped', { Failure: { Message: 'one node' } }), spec('d', 'pending')],
        spec('bb', 'skipped'),
      ),
    );
    expect(Object.fromEntries(skippedByReason(suiteWith(byLabel, byName), result))).toEqual({
      'needs kind': ['group › a'],
      'too slow': ['group › b', 'group › bb'],
      'one node': ['group › c'],
      'Karmada has disabled this spec': ['group › d'],
    });
  });

  it('unusedEntries returns the entries that leave out no spec', () => {
    const result = readReport(report(spec('b', 'skipped')));
    expect(unusedEntries(suiteWith(byLabel, byName), result)).toEqual([byLabel]);
  });
});

describe('resultText', () => {
  it('contains the counts, and each alteration with its reason', () => {
    const suite = operatorSuite('v1.18.2');
    const text = resultText('v1.18.2', suite, readReport(report(spec('a', 'passed'))));
    expect(text).toContain('Karmada v1.18.2, suite operator: 1 passed, 0 failed, 0 left out');
    for (const { reason } of suite.alterations) expect(text).toContain(reason);
  });

  it('contains the specs that are left out below their reason', () => {
    const suite = suiteWith({ pattern: 'group', reason: 'needs kind' });
    const result = readReport(report(spec('a', 'skipped'), spec('b', 'skipped')));
    const lines = resultText('v1.18.2', suite, result).split('\n').slice(1, 4);
    expect(lines.map((line) => line.trim())).toEqual([
      'left out  2: needs kind',
      'group › a',
      'group › b',
    ]);
  });
});

describe('findingsText', () => {
  const components = IDENTITIES.map(({ suffix }) => suffix);

  it('has a line for each finding about permissions', () => {
    const findings = { components, forbidden: ['2 a: get x'], unreviewed: ['a: list y'] };
    expect(findingsText(findings)).toEqual([
      'forbidden: 2 a: get x',
      'granted, neither used nor reviewed: a: list y',
    ]);
  });

  it('names each component that has sent no request with an identity of its own', () => {
    const [first = '', ...others] = components;
    const findings = { components: others, forbidden: [], unreviewed: [] };
    expect(findingsText(findings)).toEqual([`no request with an identity of its own: ${first}`]);
  });
});
