import { describe, expect, it } from '@jest/globals';
import { kubernetes } from '../crd/kubernetes/types.ts';
import type { Schema } from '../crd/schema.ts';
import { flag, intOrString, list, object, stringMap, text } from '../crd/schema.ts';
import { backupCrds } from '../crd/backups.ts';
import { karmadaCrd } from '../crd/karmada.ts';
import { defaultText, kindPage, sectionsOf, typeText } from './kind-page.ts';

describe('typeText', () => {
  it.each([
    ['a string', text('Name.'), 'string'],
    ['the values of an enum', text('Type.', { enum: ['A', 'B'] }), 'string: `A`, `B`'],
    ['an empty value', text('Policy.', { enum: ['', 'A'] }), 'string: `""`, `A`'],
    ['a date', text('Time.', { format: 'date-time' }), 'string (date-time)'],
    ['a list', list('Names.', { type: 'string' }), 'list of string'],
    ['a map', stringMap('Labels.'), 'map of string'],
    ['an integer or string', intOrString('Bound.'), 'integer or string'],
    ['the name of a Kubernetes type', kubernetes.Affinity, '`Affinity`'],
    ['a link to an object of the CRD', object('A.', { b: flag('B.') }), '[object](#speca)'],
  ])('returns %s', (_title, schema: Schema, expected) => {
    expect(typeText(schema, 'spec.a')).toBe(expected);
  });
});

describe('defaultText', () => {
  it.each([
    ['of the schema', text('Policy.', { default: 'Always' }), '`Always`'],
    ['of the description', text('Days. Defaults to 365.'), '365'],
    ['up to a semicolon', text('Tag. Defaults to v1.17.1; stored in this field.'), 'v1.17.1'],
    ['up to a comma', text('Repository. Defaults to a.io/b, or to c.'), 'a.io/b'],
    ['as nothing when the description explains it', text('Tag. Defaults to the newest one.'), ''],
    ['as nothing when there is none', text('Name of the Secret.'), ''],
  ])('returns the default %s', (_title, schema, expected) => {
    expect(defaultText(schema)).toBe(expected);
  });
});

describe('sectionsOf', () => {
  it('returns described objects and lists of them, but no Kubernetes types', () => {
    const schema = object('Spec.', {
      one: object('One.', { deep: object('Deep.', { a: flag('A.') }) }),
      many: list('Many.', object('Item.', { b: flag('B.') })),
      affinity: { ...kubernetes.Affinity, description: 'Affinity.' },
    });
    const paths = sectionsOf('spec', schema).map(({ path }) => path);
    expect(paths).toEqual(['spec', 'spec.one', 'spec.one.deep', 'spec.many[]']);
  });
});

describe('kindPage', () => {
  it.each([karmadaCrd, ...Object.values(backupCrds)])(
    'of $spec.names.kind has a section or a type name for each object',
    (crd) => {
      const text = kindPage(crd);
      expect(text).toContain(`\n# ${crd.spec.names.kind}\n`);
      expect(text).not.toContain('| `object`');
      for (const part of ['spec', 'status']) expect(text).toContain(`\n## \`${part}\`\n`);
    },
  );

  it('lists names, and the rules of the kind, its objects and their fields', () => {
    const rule = (message: string, fieldPath?: string) => ({
      'x-kubernetes-validations': [{ rule: '', message, ...(fieldPath && { fieldPath }) }],
    });
    const spec = object('Spec.', { a: text('A.', rule('must be b')) }, rule('is required', '.a'));
    const root = { ...object('A kind.', { spec }), ...rule('needs a name') };
    const names = { kind: 'Kind', plural: 'kinds', shortNames: ['k'] };
    const versions = [{ name: 'v1', schema: { openAPIV3Schema: root } }] as const;
    const found = kindPage({ spec: { group: 'g.io', names, versions } });
    expect(found.split('\n\n').slice(2)).toEqual([
      'A kind. API version `g.io/v1`, plural `kinds`, short name `k`, namespaced.',
      'Rules:',
      '- needs a name',
      '## `spec`',
      'Spec.',
      '| Field | Type | Default | Description |\n| --- | --- | --- | --- |\n| `a` | string |  | A. |',
      'Rules:',
      '- `a`: is required\n- `a`: must be b\n',
    ]);
  });
});
