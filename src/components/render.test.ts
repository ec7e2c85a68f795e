import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-point.ts';

import type { TemplateValues } from './component.ts';
import { compileTemplates, RenderError } from './render.ts';

function render(template: string, values: TemplateValues): unknown {
  const text = `apiVersion: v1\nkind: Thing\nmetadata:\n  name: thing\n${template}`;
  const templates = compileTemplates(new Map([['thing.yaml.hbs', text]]));
  const [object] = templates('thing.yaml.hbs', values);
  return object?.['field'];
}

describe('template helpers', () => {
  it('returns every string unchanged from q', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 200 }), (value) => {
        expect(render('field: {{q value}}', { value })).toBe(value);
      }),
    );
  });

  it('returns every string unchanged as the value of flag', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 200 }), (value) => {
        expect(render('field:\n- {{flag "a" value}}', { value })).toEqual([`--a=${value}`]);
      }),
    );
  });

  it.each([
    ['YAML line breaks', 'a\u0085b\u2028c\u2029d'],
    ['byte order mark', '\ufeffa'],
    ['lone surrogate', 'a\ud800b'],
    ['control characters', '\u0000\u0007\u007f\u009f'],
    ['characters outside the basic multilingual plane', '\u{1F6A2}'],
    ['10 kB of text', 'x\n- "'.repeat(2000)],
  ])('returns a string unchanged from q when it contains %s', (_, value) => {
    expect(render('field: {{q value}}', { value })).toBe(value);
  });

  it.each([
    ['number', 3],
    ['boolean', false],
    ['text that looks like a number', '1.0'],
    ['text that looks like a boolean', 'yes'],
    ['text that looks like null', '~'],
    ['empty text', ''],
  ])('keeps the YAML type of a value in q: %s', (_, value) => {
    expect(render('field: {{q value}}', { value })).toBe(value);
  });
});

describe('compileTemplates', () => {
  it.each([
    ['a missing value', 'field: {{q missing}}', {}],
    ['a missing value in a flag', 'field:\n- {{flag "a" missing}}', {}],
    ['a missing value within a value', 'field: {{q outer.missing}}', { outer: {} }],
    ['a bare value that is missing', 'field: {{missing}}', {}],
    ['a list instead of a scalar', 'field: {{q list}}', { list: ['a'] }],
    ['a number in a flag', 'field:\n- {{flag "a" value}}', { value: 3 }],
    ['a missing list in each', 'field:\n{{#each missing}}\n- {{q this}}\n{{/each}}', {}],
    ['an unknown partial', 'field: {{> missing}}', {}],
    ['an unknown helper', 'field: {{upper "a"}}', {}],
    ['a key without a value', 'field:\n  inner:', {}],
    ['a duplicate key', 'field: 1\nfield: 2', {}],
    ['invalid YAML', 'field: [', {}],
  ])('throws when a template contains %s', (_, template, values) => {
    expect(() => render(template, values)).toThrow();
  });

  it('names the template and the document when an object has no apiVersion', () => {
    const templates = compileTemplates(new Map([['a/b.yaml.hbs', 'kind: Thing']]));
    expect(() => templates('a/b.yaml.hbs', {})).toThrow(
      new RenderError('a/b.yaml.hbs', 'document 1: apiVersion is not a string'),
    );
    expect(() => templates('a/c.yaml.hbs', {})).toThrow('Template a/c.yaml.hbs: not found');
  });
});
