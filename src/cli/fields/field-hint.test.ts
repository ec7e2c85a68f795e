import { expect, it } from '@jest/globals';
import { fieldHint } from './field-hint.ts';
import type { FieldSchema } from './field-schema.ts';

const TEXT: FieldSchema = { type: 'string' };
const SCHEMA: FieldSchema = {
  properties: {
    spec: {
      properties: {
        suspend: TEXT,
        hosts: { type: 'array', items: { properties: { address: TEXT } } },
        byName: { additionalProperties: { properties: { replicas: TEXT } } },
      },
    },
  },
};

it.each([
  ['spce', 'did you mean spec?'],
  ['spec.Suspend', 'did you mean suspend?'],
  ['spec.hosts[12].adress', 'did you mean address?'],
  ['spec.byName.any.replica', 'did you mean replicas?'],
  ['spec.suspend', 'the CRDs of the cluster are older than this plugin: upgrade them'],
  ['spec.other', undefined],
  ['spec.absent.suspend', undefined],
  ['spec.constructor.suspend', undefined],
  ['', undefined],
])('fieldHint of %j is %s', (path, hint) => {
  expect(fieldHint(path, SCHEMA)).toBe(hint);
});
