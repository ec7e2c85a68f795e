/** The defaults that the pages document are those that the operator uses. */
import { describe, expect, it } from '@jest/globals';
import { CATALOG } from '../../src/api/component-catalog.ts';
import { defaultSpec } from '../../src/api/defaults/defaults.ts';
import type { Components } from '../../src/api/karmada.ts';
import { stepDeadline } from '../../src/api/versions/upgrade-policy.ts';
import { kindSchemas } from '../crd/kinds.ts';
import type { Schema } from '../crd/schema.ts';
import { defaultText } from './kind-page.ts';

const requested = CATALOG.filter(({ installed }) => installed === 'request');
const components = Object.fromEntries(requested.map(({ key }) => [key, {}])) as Components;
const SPEC = defaultSpec({ components }, { defaultStorageClass: false, ipFamily: 'IPv4' });

/** Documented default at a path such as `components.etcd.local.replicas`. */
function documented(path: string): string {
  const field = path
    .split('.')
    .reduce<Schema | undefined>((schema, name) => schema?.properties?.[name], spec());
  if (field === undefined) throw new Error(`no field spec.${path}`);
  return defaultText(field).replaceAll('`', '');
}

const spec = (): Schema | undefined => kindSchemas['Karmada']?.properties?.['spec'];

const used = (path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], SPEC);

const SETTINGS = ['imageRepository', 'imagePullPolicy', 'replicas', 'priorityClassName'];

describe('documented defaults', () => {
  it.each(
    CATALOG.map(({ key }) => (key === 'etcd' ? 'components.etcd.local' : `components.${key}`)),
  )('of %s are those that the operator uses', (path) => {
    const fields = SETTINGS.map((name) => `${path}.${name}`);
    expect(fields.map(documented)).toEqual(fields.map((field) => String(used(field))));
  });

  it.each([
    'hostCluster.networking.dnsDomain',
    'components.karmadaAPIServer.serviceSubnet',
    'components.karmadaAPIServer.serviceType',
  ])('of spec.%s are those that the operator uses', (path) => {
    expect(documented(path)).toBe(used(path));
  });

  it('of spec.upgrade.stepDeadline are those that the operator uses', () => {
    expect(documented('upgrade.stepDeadline')).toBe(stepDeadline({}));
  });
});
