import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { load, loadAll } from 'js-yaml';
import { kindSchemas } from '../../../scripts/crd/kinds.ts';
import { plainSpec } from '../../api/__fixtures__/spec.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { checkFields } from './check-fields.ts';
import { fieldSchemas } from './field-schema.ts';

const SCHEMA = fieldSchemas(kindSchemas).Karmada;

const found = (spec: string): readonly string[] =>
  checkFields(load(`{metadata: {name: a}, spec: ${spec}}`), SCHEMA).map(
    ({ field, message }) => `${field}: ${message}`,
  );

describe('checkFields', () => {
  it.each([
    [
      '{components: {karmadaApiServer: {}}}',
      'spec.components.karmadaApiServer: unknown field; did you mean karmadaAPIServer?',
    ],
    [
      '{components: {karmadaScheduler: {replica: 2}}}',
      'spec.components.karmadaScheduler.replica: unknown field; did you mean replicas?',
    ],
    ['{purpose: test}', 'spec.purpose: unknown field; remove it'],
    [
      '{components: {karmadaWebhook: {tolerations: [{}, {keys: a}]}}}',
      'spec.components.karmadaWebhook.tolerations[1].keys: unknown field; did you mean key?',
    ],
    ['{"a b": 1}', 'spec["a b"]: unknown field; remove it'],
    ['{constructor: 1}', 'spec.constructor: unknown field; remove it'],
    [
      '{components: {karmadaScheduler: {replicas: three}}}',
      'spec.components.karmadaScheduler.replicas: must be an integer, not a string',
    ],
    [
      '{components: {karmadaScheduler: {annotations: {a: 1}}}}',
      'spec.components.karmadaScheduler.annotations["a"]: must be a string, not an integer',
    ],
    ['{components: []}', 'spec.components: must be an object, not a list'],
    [
      '{components: {karmadaScheduler: {podDisruptionBudgetConfig: {minAvailable: true}}}}',
      'spec.components.karmadaScheduler.podDisruptionBudgetConfig.minAvailable: must be an integer or a string, not a boolean',
    ],
  ])('reports the field of %s', (spec, message) => {
    expect(found(spec)).toEqual([message]);
  });

  it('reports all errors, also in metadata', () => {
    const given = { metadata: { name: 'a', label: {} }, spec: { versions: 'v1.18.2' }, spce: {} };
    expect(checkFields(given, SCHEMA)).toEqual([
      { field: 'metadata.label', message: 'unknown field; did you mean labels?' },
      { field: 'spec.versions', message: 'unknown field; did you mean version?' },
      { field: 'spce', message: 'unknown field; did you mean spec?' },
    ]);
  });

  it.each([
    '{components: {karmadaScheduler: null, karmadaWebhook: {resources: {limits: {cpu: 1, memory: 1Gi}}}}}',
    '{components: {karmadaScheduler: {labels: {anything: at all}}}}',
    '{components: {karmadaAPIServer: {resources: {claims: [{name: a, more: 1}]}}}}',
  ])('accepts %s', (spec) => {
    expect(found(spec)).toEqual([]);
  });

  it.each(globSync('samples/*.yaml', { cwd: checkout }))('accepts the Karmadas of %s', (file) => {
    const documents = loadAll(readFileSync(join(checkout, file), 'utf8')) as { kind?: string }[];
    const karmadas = documents.filter((document) => document?.kind === 'Karmada');
    expect(karmadas.flatMap((karmada) => checkFields(karmada, SCHEMA))).toEqual([]);
  });

  it('accepts specs, and rejects each additional field', () => {
    fc.assert(
      fc.property(plainSpec, (spec) => {
        expect(checkFields({ spec }, SCHEMA)).toEqual([]);
        const more = { spec: { ...spec, anotherFieldAtAll: 1 } };
        expect(checkFields(more, SCHEMA)).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });
});
