import { describe, expect, it } from '@jest/globals';

import { inputOf } from '../components/__fixtures__/inputs.ts';
import { ARCHIVE, base, patch } from './__fixtures__/archive.ts';
import type { ArchiveEntry } from './archive.ts';
import { crds, parseCrdArchive } from './crds.ts';
import type { ControlPlaneInput } from './input.ts';

const INPUT: ControlPlaneInput = { ...inputOf({}), namespace: 'tenant-a', caBundle: 'PEM\n' };

function file(path: string, text: string): ArchiveEntry {
  return { path, text };
}

describe('5. CRDs and their conversion', () => {
  const archive = parseCrdArchive(ARCHIVE);
  const [serviceExports, bindings, works] = crds(INPUT, archive);

  it('takes all definitions, in the order of their paths, and nothing else', () => {
    expect(archive.problems).toEqual([]);
    expect(crds(INPUT, archive).map(({ metadata }) => metadata.name)).toEqual([
      'serviceexports.multicluster.x-k8s.io',
      'resourcebindings.work.karmada.io',
      'works.work.karmada.io',
    ]);
  });

  it('definition and conversion are one object, which points to this instance', () => {
    expect(bindings?.['spec']).toMatchObject({
      group: 'work.karmada.io',
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: {
            url: 'https://demo-karmada-webhook.tenant-a.svc:443/convert',
            caBundle: 'UEVNCg==',
          },
          conversionReviewVersions: ['v1'],
        },
      },
    });
    expect(works?.['spec']).not.toHaveProperty('conversion');
  });

  it('keeps annotations, drops what the API server writes', () => {
    expect(serviceExports).not.toHaveProperty('status');
    expect(serviceExports?.metadata).toEqual({
      name: 'serviceexports.multicluster.x-k8s.io',
      annotations: { 'controller-gen.kubebuilder.io/version': 'v0.20.0' },
      labels: {
        'app.kubernetes.io/name': 'karmada',
        'app.kubernetes.io/instance': 'demo',
        'app.kubernetes.io/managed-by': 'karmada-operator',
      },
    });
  });

  it('3.6 what a placeholder stands for goes in as it is', () => {
    const namespace = '{{caBundle}}$& "\n- x';
    const [, hostile] = crds({ ...INPUT, namespace }, archive);
    expect(hostile?.['spec']).toMatchObject({
      conversion: {
        webhook: {
          clientConfig: { url: `https://demo-karmada-webhook.${namespace}.svc:443/convert` },
        },
      },
    });
  });

  it('takes a conversion from patches only, never from a definition', () => {
    const own = base('work.karmada.io', 'works', '  conversion: { strategy: None }\n');
    const [crd] = crds(INPUT, parseCrdArchive([own]));
    expect(crd?.['spec']).not.toHaveProperty('conversion');
  });
});

describe("5. an archive brings nothing but Karmada's CRDs", () => {
  const good = base('work.karmada.io', 'works');
  const path = 'crds/bases/x/x.yaml';

  it.each([
    ['is empty', [], 'The archive holds no file below crds/bases'],
    [
      'holds another kind',
      [good, file(path, 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\nspec: {}\n')],
      `${path} is not one CustomResourceDefinition of apiextensions.k8s.io/v1`,
    ],
    [
      'holds two objects in a file',
      [good, file(path, `${good.text}---\n${good.text}`)],
      `${path} is not one CustomResourceDefinition of apiextensions.k8s.io/v1`,
    ],
    [
      'holds what is not YAML',
      [good, file(path, 'a: [')],
      `${path} is not one CustomResourceDefinition of apiextensions.k8s.io/v1`,
    ],
    [
      'holds a tree that aliases blow up',
      [good, file(path, 'a: &a [x]\nb: [*a, *a]\n')],
      `${path} is not one CustomResourceDefinition of apiextensions.k8s.io/v1`,
    ],
    [
      'holds a definition of another group',
      [good, base('example.com', 'things')],
      "crds/bases/example/example.com_things.yaml defines a kind of the group example.com, which is not Karmada's",
    ],
    [
      'would take the place of an aggregated API',
      [good, base('cluster.karmada.io', 'clusters')],
      "crds/bases/cluster/cluster.karmada.io_clusters.yaml defines a kind of the group cluster.karmada.io, which is not Karmada's",
    ],
    [
      "has a group that only ends like Karmada's",
      [good, base('evilkarmada.io', 'things')],
      "crds/bases/evilkarmada/evilkarmada.io_things.yaml defines a kind of the group evilkarmada.io, which is not Karmada's",
    ],
    [
      'has a name that does not fit',
      [{ ...good, text: good.text.replace('name: works.', 'name: others.') }],
      'crds/bases/work/work.karmada.io_works.yaml has a name that does not fit its group and plural',
    ],
    [
      'defines a kind twice',
      [good, { ...good, path: 'crds/bases/work/again.yaml' }],
      'works.work.karmada.io is defined by more than one file of the archive',
    ],
    [
      'patches what it does not define',
      [good, patch('others.work.karmada.io')],
      'crds/patches/webhook_in_others.yaml patches others.work.karmada.io, which the archive does not define',
    ],
    [
      'sends conversions elsewhere',
      [good, patch('works.work.karmada.io', 'https://evil.example.com/convert')],
      'crds/patches/webhook_in_works.yaml sends conversions elsewhere than to karmada-webhook',
    ],
    [
      'sends conversions elsewhere behind the right beginning',
      [good, patch('works.work.karmada.io', 'https://{{name}}.{{namespace}}.svc.evil.com/convert')],
      'crds/patches/webhook_in_works.yaml sends conversions elsewhere than to karmada-webhook',
    ],
    [
      'patches more than the conversion',
      [
        good,
        {
          ...patch('works.work.karmada.io'),
          text: patch('works.work.karmada.io').text.replace('spec:', 'spec:\n  scope: Cluster'),
        },
      ],
      'crds/patches/webhook_in_works.yaml patches something other than spec.conversion',
    ],
  ])('it %s', (_, entries, problem) => {
    expect(parseCrdArchive(entries).problems).toEqual([problem]);
  });
});
