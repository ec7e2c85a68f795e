import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadAll } from 'js-yaml';
import { TEMPLATES } from '../components/__fixtures__/golden.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { ARCHIVE, karmadaOf } from '../reconcile/__fixtures__/instance.ts';
import { archiveFor, localRelease, parseKarmada, renderOffline } from './render.ts';

const FACTS = { templates: TEMPLATES, archive: ARCHIVE, defaultStorageClass: false };

describe('render', () => {
  const text = renderOffline(karmadaOf(), FACTS);
  const objects = loadAll(text) as KubernetesObject[];

  it('prints every object of the host and of the control plane, the same each time', () => {
    expect(renderOffline(karmadaOf(), FACTS)).toBe(text);
    const kinds = new Set(objects.map(({ kind }) => kind));
    for (const kind of ['StatefulSet', 'Deployment', 'Service', 'Secret', 'APIService'])
      expect(kinds).toContain(kind);
    expect(objects.filter(({ kind }) => kind === 'Deployment')).toHaveLength(7);
  });

  it('has placeholders where an installation has keys', () => {
    expect(text).not.toContain('PRIVATE KEY');
    expect(text).not.toContain('BEGIN CERTIFICATE');
  });

  it.each([
    ['another kind', 'kind: Pod', 'must hold one object'],
    ['no name', 'apiVersion: operator.karmada.io/v1alpha1\nkind: Karmada', 'metadata.name'],
    [
      'a mistake in the spec',
      'apiVersion: operator.karmada.io/v1alpha1\nkind: Karmada\nmetadata: {name: a}\nspec: {crdTarball: {}}',
      'spec.crdTarball.httpSource',
    ],
  ])('refuses %s and says why', (_, given, said) => {
    expect(() => parseKarmada(given, 'karmada.yaml')).toThrow(said);
  });

  it('takes the archive of the release, and asks for a file when another one is named', () => {
    expect(localRelease(archiveFor(karmadaOf(), FACTS))).toBe('v1.17.1');
    const named = archiveFor(
      karmadaOf({
        crdTarball: { httpSource: { url: 'https://u:p@a/b?c', sha256: 'AB'.repeat(32) } },
      }),
      FACTS,
    );
    expect(named.expectation).toEqual({ release: 'v1.17.1', sha256: 'ab'.repeat(32) });
    expect(() => localRelease(named)).toThrow(
      'spec.crdTarball names https://a/b?…, which is not fetched here: give the archive with --crds FILE',
    );
  });

  it('hostile strings come out as those very strings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (value) => {
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
