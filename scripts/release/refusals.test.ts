import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import type { Results, SuiteResult } from '../test/results.ts';
import { publisherFiles } from './publisher-files.ts';
import {
  publisherRefusals,
  resultRefusals,
  shortened,
  sourceRefusals,
  type SourceState,
} from './refusals.ts';

const clean: SourceState = {
  version: '1.2.3',
  commit: 'aaaa',
  changes: [],
  tagged: undefined,
  tags: [],
  outdated: [],
};

describe('sourceRefusals', () => {
  it.each<[string, Partial<SourceState>]>([
    ['has no tag yet', {}],
    ['has the tag of the version', { tagged: 'aaaa', tags: ['v1.2.3'] }],
    ['has tags that are no versions', { tags: ['nightly', 'value'] }],
  ])('allows a clean commit that %s', (_, state) => {
    expect(sourceRefusals({ ...clean, ...state })).toEqual([]);
  });

  it.each<[string, Partial<SourceState>, string]>([
    ['the checkout has changes', { changes: ['a.ts', 'b.ts'] }, 'not committed: a.ts, b.ts'],
    ['the tag names another commit', { tagged: 'bbbb' }, 'tag v1.2.3 names another commit, bbbb'],
    ['the commit has another version', { tags: ['v2.0.0'] }, 'package.json has version 1.2.3'],
    ['a file has another version', { outdated: ['Dockerfile'] }, 'Dockerfile: version differs'],
  ])('refuses when %s', (_, state, expected) => {
    const found = sourceRefusals({ ...clean, ...state });
    expect(found).toEqual([expect.stringContaining(expected)]);
  });
});

describe('publisherRefusals', () => {
  const security = (contact: string): string => `# Security policy\n\n${contact}\n`;

  it.each(['Contact: security@example.com', 'Contact: <https://example.com/report>'])(
    'allows a release with the line %s',
    (contact) => {
      const texts = { 'SECURITY.md': security(contact), 'Chart.yaml': 'name: a\n' };
      expect(publisherRefusals(texts)).toEqual([]);
    },
  );

  it.each([
    ['is missing', {}],
    ['has no contact', { 'SECURITY.md': security('Write to us.') }],
    ['has an empty contact', { 'SECURITY.md': security('Contact:') }],
    ['has a contact that is no address', { 'SECURITY.md': security('Contact: us') }],
  ])('refuses when SECURITY.md %s', (_, texts) => {
    expect(publisherRefusals(texts)).toEqual([
      'SECURITY.md: no line "Contact: " with an email address or a URL: write where to report vulnerabilities',
    ]);
  });

  it('refuses each file that has an address in place of that of the publisher', () => {
    const texts = {
      'SECURITY.md': security('Contact: security@publisher.invalid'),
      'charts/a/Chart.yaml': 'email: maintainers@publisher.invalid\n',
      'charts/b/Chart.yaml': 'email: b@example.com\n',
    };
    expect(publisherRefusals(texts)).toEqual([
      'SECURITY.md: replace publisher.invalid by the address of the publisher',
      'charts/a/Chart.yaml: replace publisher.invalid by the address of the publisher',
    ]);
  });
});

it('publisherFiles reads the security policy and the charts', async () => {
  const texts = await publisherFiles(checkout);
  expect(Object.keys(texts)).toEqual([
    'SECURITY.md',
    'charts/karmada-operator-crds/Chart.yaml',
    'charts/karmada-operator/Chart.yaml',
  ]);
  expect(texts['SECURITY.md']).toMatch(/^Contact: /m);
});

describe('resultRefusals', () => {
  const ended = '2026-03-01T00:00:00.000Z';
  const result = (suite: string, cases: readonly boolean[] = []): SuiteResult => ({
    suite,
    seconds: 1,
    ended,
    passed: cases.every(Boolean),
    cases: cases.map((passed, at) => ({ title: `case ${String(at)}`, passed, seconds: 1 })),
  });
  const expected = ['check/lint', 'e2e/core'];
  const complete = [result('check/lint'), result('e2e/core', [true, true])];

  it('allows a release when all suites passed', () => {
    const results = { tree: 'a', suites: [...complete, result('e2e/removed')] };
    expect(resultRefusals(results, { tree: 'a', expected })).toEqual([]);
  });

  it.each<[string, Results | undefined]>([
    ['there are no results', undefined],
    ['the results are those of another tree', { tree: 'b', suites: complete }],
  ])('refuses with the digest of the tree when %s', (_, results) => {
    const found = resultRefusals(results, { tree: 'a', expected });
    expect(found).toEqual([expect.stringMatching(/^no results of tests for these files, a: run /)]);
  });

  it('names failed suites with their failed cases, and suites without a result', () => {
    const suites = [result('e2e/core', [true, false]), { ...result('job/peer'), passed: false }];
    expect(resultRefusals({ tree: 'a', suites }, { tree: 'a', expected })).toEqual([
      'check/lint: no result',
      'e2e/core: failed: case 1',
      'job/peer: failed',
    ]);
  });
});

it.each([
  [['a', 'b'], 2, ['a', 'b']],
  [['a', 'b', 'c'], 1, ['a', 'and 2 more reasons']],
])('shortened reduces %j to %i lines', (lines, limit, expected) => {
  expect(shortened(lines, limit)).toEqual(expected);
});
