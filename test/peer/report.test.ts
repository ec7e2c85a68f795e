import { expect, it } from '@jest/globals';
import { operatorSuite } from './alterations.ts';
import { readReport, resultText } from './report.ts';

const spec = (text: string, state: string, type = 'It') => ({
  LeafNodeType: type,
  LeafNodeText: text,
  ContainerHierarchyTexts: type === 'It' ? ['group'] : null,
  State: state,
  ...(state === 'failed' && { Failure: { Message: 'no such file' } }),
});

const report = (...specs: readonly object[]): string => JSON.stringify([{ SpecReports: specs }]);

it('readReport distinguishes passed, failed and skipped specs', () => {
  const json = report(
    ...[spec('a', 'passed'), spec('b', 'failed'), spec('c', 'skipped'), spec('d', 'pending')],
    ...[spec('e', 'timedout'), spec('', 'passed', 'BeforeSuite')],
  );
  expect(readReport(json)).toEqual({
    passed: ['group › a'],
    failed: ['group › b: no such file', 'group › e: timedout'],
    skipped: ['group › c', 'group › d'],
  });
});

it('readReport counts a failed suite node as a failure', () => {
  const { failed } = readReport(report(spec('', 'failed', 'SynchronizedBeforeSuite')));
  expect(failed).toEqual(['SynchronizedBeforeSuite: no such file']);
});

it('readReport accepts a suite without specs', () => {
  const empty = { passed: [], failed: [], skipped: [] };
  expect(readReport('[{"SpecReports":null}]')).toEqual(empty);
});

it('resultText contains the counts, and each alteration with its reason', () => {
  const suite = operatorSuite('v1.18.2');
  const text = resultText('v1.18.2', suite, readReport(report(spec('a', 'passed'))));
  expect(text).toContain('Karmada v1.18.2, suite operator: 1 passed, 0 failed, 0 left out');
  for (const { reason } of suite.alterations) expect(text).toContain(reason);
});
