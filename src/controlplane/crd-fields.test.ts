import { describe, expect, it } from '@jest/globals';
import { CRD_CONVERSION, CRD_SPEC, fitting, TEXTS } from './crd-fields.ts';

const spec = (schema: object): object => ({
  group: 'a',
  scope: 'Namespaced',
  names: { plural: 'b', kind: 'B', shortNames: ['c'] },
  versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
});

describe('fitting', () => {
  it.each<[string, object]>([
    ['a schema', spec({ type: 'object', properties: { a: { type: 'string', maxLength: 1 } } })],
    ['a default', spec({ default: [{ any: 1 }], enum: [null, 1] })],
    ['a flag instead of a schema', spec({ additionalProperties: true })],
    ['null', { ...spec({}), names: null }],
  ])('returns a CRD with %s unchanged', (_, value) => {
    expect(fitting(value, CRD_SPEC, 'spec')).toEqual(value);
  });

  it.each<[string, object, object]>([
    ['of the spec', { ...spec({}), junk: [{}, {}], conversion: {} }, spec({})],
    [
      'of a schema',
      spec({ properties: { a: { items: { junk: 1, type: 'a' } } } }),
      spec({ properties: { a: { items: { type: 'a' } } } }),
    ],
    ['with the name of a method', { ...spec({}), constructor: 1 }, spec({})],
  ])('drops other fields %s', (_, value, kept) => {
    expect(fitting(value, CRD_SPEC, 'spec')).toEqual(kept);
  });

  it.each<[string, object, string]>([
    ['a list instead of a text', { ...spec({}), group: [{}] }, 'spec.group'],
    [
      'a list instead of a map',
      spec({ properties: [{}] }),
      'spec.versions[0].schema.openAPIV3Schema.properties',
    ],
    ['a map instead of a list', { ...spec({}), versions: {} }, 'spec.versions'],
    ['a list instead of an object', { ...spec({}), names: [] }, 'spec.names'],
    ['a text instead of an object', { ...spec({}), names: 'b' }, 'spec.names'],
  ])('rejects %s', (_, value, path) => {
    expect(() => fitting(value, CRD_SPEC, 'spec')).toThrow(
      `has another type than a CRD in "${path}"`,
    );
  });

  it('applies to conversions and labels', () => {
    const clientConfig = { url: 'https://a', caBundle: 'x' };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig } };
    expect(fitting({ ...conversion, junk: 1 }, CRD_CONVERSION, 'c')).toEqual(conversion);
    expect(() => fitting({ a: 1 }, TEXTS, 'labels')).toThrow('"labels.a"');
  });
});
