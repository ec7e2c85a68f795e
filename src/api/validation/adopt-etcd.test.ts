import { describe, expect, it } from '@jest/globals';
import { ADOPT_ETCD_ANNOTATION, mayAdoptEtcd } from './adopt-etcd.ts';
import type { Karmada } from '../karmada.ts';
import { validate } from './validation.ts';

const karmadaWith = (value?: string): Karmada => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: {
    name: 'demo',
    namespace: 'team',
    annotations: { ...(value !== undefined && { [ADOPT_ETCD_ANNOTATION]: value }) },
  },
});

describe('the consent to change an etcd of the Go operator', () => {
  it.each<[string | undefined, boolean, readonly string[]]>([
    [undefined, false, []],
    ['Automatic', true, []],
    ['automatic', false, [`metadata.annotations["${ADOPT_ETCD_ANNOTATION}"]`]],
    ['', false, [`metadata.annotations["${ADOPT_ETCD_ANNOTATION}"]`]],
  ])('with the value %s is %s', (value, isGiven, fields) => {
    const karmada = karmadaWith(value);
    expect(mayAdoptEtcd(karmada.metadata)).toBe(isGiven);
    expect(validate(karmada).map(({ field }) => field)).toEqual(fields);
  });
});
