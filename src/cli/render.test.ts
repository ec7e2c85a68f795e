import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-point.ts';
import { loadAll } from 'js-yaml';
import { kindSchemas } from '../../scripts/crd/kinds.ts';
import { TEMPLATES } from '../components/__fixtures__/golden.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { ARCHIVE, karmadaOf } from '../instance/__fixtures__/instance.ts';
import { fieldSchemas } from './fields/field-schema.ts';
import { archiveFor, localRelease, parseKarmada, renderOffline } from './render.ts';

const HEAD = 'apiVersion: operator.karmada.io/v1alpha1\nkind: Karmada\nmetadata: {name: a';

const FACTS = { templates: TEMPLATES, archive: ARCHIVE, defaultStorageClass: false };

describe('renderOffline, parseKarmada and localRelease', () => {
  const text = renderOffline(karmadaOf(), FACTS);
  const objects = loadAll(text) as KubernetesObject[];

  it('renders all objects of the host cluster and the control plane deterministically', () => {
    expect(renderOffline(karmadaOf(), FACTS)).toBe(text);
    const kinds = new Set(objects.map(({ kind }) => kind));
    for (const kind of ['StatefulSet', 'Deployment', 'Service', 'Secret', 'APIService'])
      expect(kinds).toContain(kind);
    expect(objects.filter(({ kind }) => kind === 'Deployment')).toHaveLength(7);
  });

  it('renders placeholders instead of keys and certificates', () => {
    expect(text).not.toContain('PRIVATE KEY');
    expect(text).not.toContain('BEGIN CERTIFICATE');
  });

  it.each([
    ['a file with another kind', 'kind: Pod', 'exactly one object of operator.karmada.io/v1alpha1'],
    ['a misspelled kind', HEAD.replace('Karmada', 'Karmadas') + '}', 'it has Karmadas of operator'],
    ['an object without a version', 'kind: Karmada', 'it has Karmada of no apiVersion'],
    ['an empty file', '', 'it has no object'],
    ['many other objects', 'kind: Pod\n---\n'.repeat(5), 'Pod of no apiVersion, 2 more'],
    ['two Karmadas', `${HEAD}}\n---\n${HEAD}}`, 'it has 2 of them'],
    [
      'a Karmada without name',
      'apiVersion: operator.karmada.io/v1alpha1\nkind: Karmada',
      'metadata.name',
    ],
    [
      'an invalid spec',
      'apiVersion: operator.karmada.io/v1alpha1\nkind: Karmada\nmetadata: {name: a}\nspec: {crdTarball: {}}',
      'spec.crdTarball.httpSource',
    ],
  ])('rejects %s with the cause', (_, given, said) => {
    expect(() => parseKarmada(given, 'karmada.yaml')).toThrow(said);
  });

  it('reports unknown fields only with a schema', () => {
    const given = `${HEAD}, namespace: team}\nspec: {components: {karmadaApiServer: {}}}`;
    expect(() => parseKarmada(given, 'a.yaml')).not.toThrow();
    expect(() =>
      parseKarmada(given, 'a.yaml', { schema: fieldSchemas(kindSchemas).Karmada }),
    ).toThrow('spec.components.karmadaApiServer: unknown field; did you mean karmadaAPIServer?');
  });

  it.each([
    ['}', undefined, 'shown'],
    ['}', 'team', 'team'],
    [', namespace: team}', undefined, 'team'],
    [', namespace: team}', 'team', 'team'],
  ])('with metadata %j and --namespace %j the namespace is %s', (end, required, expected) => {
    const placement = { required, fallback: 'shown' };
    const { metadata } = parseKarmada(`${HEAD}${end}`, 'a.yaml', { placement });
    expect(metadata.namespace).toBe(expected);
  });

  it('rejects a file with another namespace than --namespace', () => {
    const placement = { required: 'other', fallback: 'shown' };
    expect(() => parseKarmada(`${HEAD}, namespace: team}`, 'a.yaml', { placement })).toThrow(
      'a.yaml: metadata.namespace is "team", but --namespace is "other"; omit --namespace, or change the file',
    );
  });

  it('selects the archive of the release, and requests --crds for another source', () => {
    expect(localRelease(archiveFor(karmadaOf(), FACTS))).toBe('v1.18.2');
    const named = archiveFor(
      karmadaOf({
        crdTarball: { httpSource: { url: 'https://u:p@a/b?c', sha256: 'AB'.repeat(32) } },
      }),
      FACTS,
    );
    expect(named.expectation).toEqual({ release: 'v1.18.2', sha256: 'ab'.repeat(32) });
    expect(() => localRelease(named)).toThrow(
      'spec.crdTarball references https://a/b?…, which this command does not download; provide the archive with --crds FILE',
    );
  });

  it('renders arbitrary strings unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, minLength: 1 }), (value) => {
        const karmada = karmadaOf({
          components: { karmadaScheduler: { annotations: { note: value } } },
        });
        const rendered = loadAll(renderOffline(karmada, FACTS)) as KubernetesObject[];
        const scheduler = rendered.find(
          ({ kind, metadata }) =>
            kind === 'Deployment' && metadata.name === 'karmada-demo-scheduler',
        );
        expect(scheduler?.metadata.annotations?.['note']).toBe(value);
      }),
      { numRuns: 25 },
    );
  });
});
