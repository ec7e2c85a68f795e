/** @tier test */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { anySpec, anyText, karmadaOf, plainSpec } from './__fixtures__/spec.ts';
import { defaultSpec } from './defaults/defaults.ts';
import { formatErrors } from './validation/field-error.ts';
import { fill } from './defaults/fill.ts';
import { isObject } from '../kubernetes/objects/compare.ts';
import type { KarmadaSpec } from './karmada.ts';
import { DEFAULTS_FIELD_MANAGER } from './karmada.ts';
import { defaultsPatch } from './defaults/managed-defaults.ts';
import { instanceName, namesCollide, SERVICE_SUFFIXES } from './naming.ts';
import { dnsLabel } from './validation/syntax.ts';
import { validate } from './validation/validation.ts';
import { warnings } from './warnings/warnings.ts';

const hosts = fc.record({ defaultStorageClass: fc.boolean() });
const specs = fc.oneof(anySpec, plainSpec);

/** Returns the FieldsV1 set that results from an apply of a value. */
function fieldsOf(value: unknown): object {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [`f:${key}`, fieldsOf(part)]),
  );
}

describe('API properties', () => {
  it('defaultSpec is idempotent', () => {
    fc.assert(
      fc.property(specs, hosts, (spec, host) => {
        const once = defaultSpec(spec, host);
        expect(defaultSpec(once as KarmadaSpec, host)).toEqual(once);
      }),
    );
  });

  it('validate accepts a valid spec with its defaults', () => {
    let accepted = 0;
    fc.assert(
      fc.property(specs, hosts, (spec, host) => {
        if (validate(karmadaOf(spec)).length > 0) return;
        accepted += 1;
        const defaulted = defaultSpec(spec, host) as KarmadaSpec;
        expect(validate(karmadaOf(defaulted))).toEqual([]);
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  it('defaultSpec keeps all values of the user', () => {
    fc.assert(
      fc.property(specs, hosts, (spec, host) => {
        fc.pre(!spec.components?.etcd?.external);
        const defaulted = defaultSpec(spec, host);
        expect(fill(spec, defaulted)).toEqual(defaulted);
      }),
    );
  });

  it('defaultsPatch returns undefined after its result is applied', () => {
    fc.assert(
      fc.property(specs, hosts, (spec, host) => {
        const intent = defaultsPatch(karmadaOf(spec), host);
        const stored = fill(spec, intent ?? {}) as KarmadaSpec;
        const managed = {
          manager: DEFAULTS_FIELD_MANAGER,
          operation: 'Apply',
          fieldsV1: { 'f:spec': fieldsOf(intent ?? {}) },
        };
        const user = {
          manager: 'user',
          operation: 'Update',
          fieldsV1: { 'f:spec': fieldsOf(spec) },
        };
        const karmada = karmadaOf(stored);
        const managedFields = intent ? [user, managed] : [user];
        const again = { ...karmada, metadata: { ...karmada.metadata, managedFields } };
        expect(
          defaultsPatch(again, { defaultStorageClass: !host.defaultStorageClass }),
        ).toBeUndefined();
        expect(defaultSpec(stored, host)).toEqual(defaultSpec(spec, host));
      }),
    );
  });

  it('validate and warnings accept any string without throwing, and messages have one line', () => {
    fc.assert(
      fc.property(specs, anyText, hosts, (spec, name, host) => {
        const karmada = karmadaOf(spec, name);
        expect(formatErrors(validate(karmada))).not.toMatch(/[\n\r]/);
        expect(Array.isArray(warnings(karmada, defaultSpec(spec, host)))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('validate accepts a name exactly when all Service names are DNS labels', () => {
    const names = fc.stringMatching(/^[a-z](?:[-a-z0-9]{0,60}[a-z0-9])?$/);
    const karmadas = fc
      .tuple(names, fc.constantFrom('', '-karmada', 'karmada'))
      .map((t) => t.join(''));
    fc.assert(
      fc.property(karmadas, (name) => {
        const accepted = validate(karmadaOf(undefined, name)).length === 0;
        const services = SERVICE_SUFFIXES.map((suffix) => instanceName(name, suffix));
        expect(services.every((service) => dnsLabel.matches(service))).toBe(accepted);
      }),
    );
  });

  it('namesCollide returns true exactly when different names result in equal object names', () => {
    const names = fc.constantFrom(
      'demo',
      'demo-karmada',
      'karmada',
      'karmada-demo',
      'a',
      'a-karmada',
    );
    fc.assert(
      fc.property(names, names, (one, other) => {
        const equal = instanceName(one, 'cert') === instanceName(other, 'cert');
        expect(namesCollide(one, other)).toBe(one !== other && equal);
        expect(namesCollide(one, other)).toBe(namesCollide(other, one));
      }),
    );
  });
});
