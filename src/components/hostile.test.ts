/**
 * Property test against injection: rendering with any text in a field gives the same objects as
 * rendering with a marker there, with the marker replaced by the text and nothing else changed.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-point.ts';

import { flagValues } from '../api/flags/flag-values.ts';
import { TEMPLATES } from './__fixtures__/golden.ts';
import { EXTERNAL_ETCD, FULL, POD_SETTINGS } from './__fixtures__/inputs.ts';
import { renderHost } from './desired.ts';

type Path = readonly (string | number)[];

/** Enumeration fields. They select what is rendered, and the API server validates them before. */
const ENUMERATIONS = ['serviceType', 'imagePullPolicy'];

/** Fields with the values of flags. */
const FLAGS = ['extraArgs', 'controllers'];

/** Returns the paths of all strings in a tree. */
function leaves(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, [...path, key]));
}

function replaceAt<T>(tree: T, [key, ...rest]: Path, text: string): T {
  if (key === undefined) return text as T;
  const copy = (Array.isArray(tree) ? [...tree] : { ...tree }) as Record<string | number, unknown>;
  copy[key] = replaceAt(copy[key], rest, text);
  return copy as T;
}

/** Replaces the marker in all strings of a tree, in values and in keys. */
function substitute(value: unknown, marker: string, text: string): unknown {
  if (typeof value === 'string') return value.split(marker).join(text);
  if (Array.isArray(value)) return value.map((item) => substitute(item, marker, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key.split(marker).join(text),
      substitute(child, marker, text),
    ]),
  );
}

const MARKER = 'zzMARKERzz';

/** A run renders the control plane up to four times. */
const RUNS = process.env['KARMADA_TEST_TIER'] === 'all' ? 200 : 30;

/** Like `toEqual`, which is slow on large trees and is only needed to print a difference. */
function expectEqual(rendered: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(rendered, expected)) expect(rendered).toEqual(expected);
}

const hostile = fc.oneof(
  fc.constantFrom(
    'a: {b',
    'x\n- y',
    '{{name}}',
    '{{{name}}}',
    '{{> labels}}',
    '"',
    "'",
    '\\',
    '\\"',
    '# comment',
    '!!js/function "x"',
    '&anchor *alias',
    '*alias',
    '<<: *merge',
    '---\nkind: Secret',
    '...',
    '| \n  block',
    '> folded',
    '%YAML 1.1',
    '@at',
    '`tick`',
    '- item',
    '? key',
    'a\tb',
    '\r\n',
    'null',
    '~',
    'true',
    '0o17',
    '1e3',
    '$(POD_IP)',
    '${PATH}',
    '$1$&',
    '<script>&amp;',
    '\u2028\u2029\u0085\ufeff',
    '__proto__',
    ' leading and trailing ',
    'x"\n- }{'.repeat(1500),
  ),
  fc.string({ unit: codePoint, minLength: 1, maxLength: 100 }),
);

const INPUTS = [
  ['local etcd', FULL],
  ['external etcd', EXTERNAL_ETCD],
  ['settings of Pods', { ...FULL, spec: { ...FULL.spec, podSettings: POD_SETTINGS } }],
] as const;

/** Whether a value selects what is rendered. */
const isSelection = (path: Path): boolean =>
  ENUMERATIONS.includes(String(path.at(-1))) ||
  (path[0] === 'podSettings' && path.at(-2) === 'components');

describe('renderHost with hostile strings', () => {
  it.each(INPUTS)('renders any text in any field of the spec unchanged: %s', (_, input) => {
    const paths = leaves(input.spec).filter((path) => !isSelection(path));
    expect(paths.length).toBeGreaterThan(150);
    const render = (path: Path, text: string): unknown =>
      renderHost(TEMPLATES, { ...input, spec: replaceAt(input.spec, path, text) });
    fc.assert(
      fc.property(fc.constantFrom(...paths), hostile, (path, text) => {
        // Each line of a flag is a value of its own (src/api/flags/flag-values.ts).
        fc.pre(!path.some((key) => FLAGS.includes(String(key))) || !text.includes('\n'));
        expectEqual(render(path, text), substitute(render(path, MARKER), MARKER, text));
      }),
      { numRuns: 2 * RUNS },
    );
  });

  it('renders any text as key and value of labels, annotations and flags unchanged', () => {
    fc.assert(
      fc.property(hostile, hostile, (key, value) => {
        const fields = { [key]: value };
        const settings = {
          ...FULL.spec.components.karmadaWebhook,
          labels: fields,
          annotations: fields,
          extraArgs: fields,
        };
        const components = { ...FULL.spec.components, karmadaWebhook: settings };
        const input = { ...FULL, spec: { ...FULL.spec, components } };
        const webhook = renderHost(TEMPLATES, input).find(
          ({ kind, metadata }) =>
            kind === 'Deployment' &&
            metadata.labels?.['app.kubernetes.io/name'] === 'karmada-webhook',
        ) as unknown as {
          metadata: { labels: object; annotations: object };
          spec: { template: { spec: { containers: { command: string[] }[] } } };
        };
        expect(Object.entries(webhook.metadata.labels)).toContainEqual([key, value]);
        expect(Object.entries(webhook.metadata.annotations)).toContainEqual([key, value]);
        const { command = [] } = webhook.spec.template.spec.containers[0] ?? {};
        for (const line of flagValues(value)) expect(command).toContain(`--${key}=${line}`);
      }),
      { numRuns: RUNS },
    );
  });

  it('renders any text as name and namespace of the Karmada object unchanged', () => {
    const render = (name: string, namespace: string): unknown =>
      renderHost(TEMPLATES, { ...FULL, name, namespace });
    fc.assert(
      fc.property(hostile, (text) => {
        // The operator uses another prefix for a name that contains `karmada`; the marker does not contain it.
        fc.pre(!text.includes('karmada'));
        expectEqual(render(text, 'ns'), substitute(render(MARKER, 'ns'), MARKER, text));
        expectEqual(render('demo', text), substitute(render('demo', MARKER), MARKER, text));
      }),
      { numRuns: RUNS },
    );
  });
});
