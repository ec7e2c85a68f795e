import { describe, expect, it } from '@jest/globals';

import { inputOf } from '../components/__fixtures__/inputs.ts';
import { ARCHIVE, base, parseCrdArchive, patch } from './__fixtures__/archive.ts';
import type { ArchiveEntry } from './archive.ts';
import { RELEASE } from './__fixtures__/tar.ts';
import { crds } from './crds.ts';
import type { ControlPlaneInput } from './input.ts';
import { lackOf } from './release-crds.ts';

const INPUT: ControlPlaneInput = { ...inputOf({}), namespace: 'tenant-a', caBundle: 'PEM\n' };

function file(path: string, text: string): ArchiveEntry {
  return { path, text };
}

describe('CRDs and their conversion', () => {
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

  it('what a placeholder stands for goes in as it is', () => {
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

const NOT = 'not a CustomResourceDefinition of apiextensions.k8s.io/v1';
const OTHER_FILE =
  'is none of the files that such an archive has: crds/bases/…yaml, crds/patches/…yaml, crds/kustomization.yaml';
const ELSEWHERE = 'sends conversions elsewhere than to karmada-webhook';

/** Nine levels of nine: a few hundred bytes that stand for 387 million values. */
const BOMB = Array.from({ length: 9 }, (_, level) =>
  level === 0
    ? 'a0: &a0 [x,x,x,x,x,x,x,x,x]'
    : `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(',')}]`,
).join('\n');

describe("an archive brings nothing but Karmada's CRDs", () => {
  const good = base('work.karmada.io', 'works');
  const path = 'crds/bases/x/x.yaml';
  const works = patch('works.work.karmada.io');
  const worksPath = 'crds/patches/webhook_in_works.yaml';

  it.each<[string, readonly ArchiveEntry[], string]>([
    ['is empty', [], 'there is no file below crds/bases'],
    [
      'has patches alone',
      [file('crds/kustomization.yaml', '')],
      'there is no file below crds/bases',
    ],
    [
      'holds another kind',
      [good, file(path, 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\nspec: {}\n')],
      `${path} is a "Secret" of "v1", ${NOT}`,
    ],
    [
      'holds a CRD of an older API',
      [good, file(path, good.text.replace('/v1\n', '/v1beta1\n'))],
      `${path} is a "CustomResourceDefinition" of "apiextensions.k8s.io/v1beta1", ${NOT}`,
    ],
    [
      'holds a list of objects',
      [good, file(path, 'apiVersion: v1\nkind: List\nitems: []\n')],
      `${path} is a "List" of "v1", ${NOT}`,
    ],
    [
      'has a kind of more than one line',
      [good, file(path, 'apiVersion: v1\nkind: "a\\nb"\n')],
      `${path} is a "a\\nb" of "v1", ${NOT}`,
    ],
    [
      'holds two objects in a file',
      [good, file(path, `${good.text}---\n${good.text}`)],
      `${path} holds more than one document`,
    ],
    ['holds what is not YAML', [good, file(path, 'a: [')], `${path} is not YAML`],
    ['holds an empty file', [good, file(path, '')], `${path} is not YAML`],
    ['holds a mere text', [good, file(path, 'hello\n')], `${path} is ${NOT}`],
    ['holds a null', [good, file(path, 'null\n')], `${path} is ${NOT}`],
    [
      'holds a tree that aliases blow up',
      [good, file(path, BOMB)],
      `${path} has YAML aliases, which no CRD needs`,
    ],
    [
      'holds a tree that is merged',
      [good, file(path, 'a: &a { b: c }\nd: { <<: *a }\n')],
      `${path} has YAML aliases, which no CRD needs`,
    ],
    [
      'holds a tree that is too deep',
      [good, file(path, '['.repeat(10_000))],
      `${path} is nested more than 100 levels deep`,
    ],
    [
      'holds a function',
      [good, file(path, 'a: !!js/function "function () {}"\n')],
      `${path} is not YAML`,
    ],
    [
      'holds another file below crds/bases',
      [good, file('crds/bases/x/x.sh', 'true\n')],
      `crds/bases/x/x.sh ${OTHER_FILE}`,
    ],
    [
      'holds objects beside the CRDs',
      [good, file('crds/rbac.yaml', 'kind: ClusterRole\n')],
      `crds/rbac.yaml ${OTHER_FILE}`,
    ],
    [
      'holds a definition of another group',
      [good, base('example.com', 'things')],
      `crds/bases/example/example.com_things.yaml defines a kind of the group "example.com", which is not Karmada's`,
    ],
    [
      'would take the place of an aggregated API',
      [good, base('cluster.karmada.io', 'clusters')],
      `crds/bases/cluster/cluster.karmada.io_clusters.yaml defines a kind of the group "cluster.karmada.io", which is not Karmada's`,
    ],
    [
      'would define the operator itself',
      [good, base('operator.karmada.io', 'karmadas')],
      `crds/bases/operator/operator.karmada.io_karmadas.yaml defines a kind of the group "operator.karmada.io", which is not Karmada's`,
    ],
    [
      "has a group that only ends like Karmada's",
      [good, base('evilkarmada.io', 'things')],
      `crds/bases/evilkarmada/evilkarmada.io_things.yaml defines a kind of the group "evilkarmada.io", which is not Karmada's`,
    ],
    [
      'has no group',
      [good, file(path, good.text.replace('  group: work.karmada.io\n', ''))],
      `${path} defines a kind of the group "undefined", which is not Karmada's`,
    ],
    [
      'has a name that does not fit',
      [{ ...good, text: good.text.replace('name: works.', 'name: others.') }],
      'crds/bases/work/work.karmada.io_works.yaml has a name that does not fit its group and plural',
    ],
    [
      'has a plural that is no name',
      [{ ...good, text: good.text.replaceAll('works', 'wo/rks') }],
      'crds/bases/work/work.karmada.io_works.yaml has a name that does not fit its group and plural',
    ],
    [
      'defines a kind twice',
      [good, { ...good, path: 'crds/bases/work/again.yaml' }],
      'works.work.karmada.io is defined by more than one file',
    ],
    [
      'patches a kind twice',
      [good, works, { ...works, path: 'crds/patches/again.yaml' }],
      '"works.work.karmada.io" is patched by more than one file',
    ],
    [
      'patches what it does not define',
      [good, patch('others.work.karmada.io')],
      'crds/patches/webhook_in_others.yaml patches "others.work.karmada.io", which no file defines',
    ],
    [
      'sends conversions elsewhere',
      [good, patch('works.work.karmada.io', 'https://evil.example.com/convert')],
      `${worksPath} ${ELSEWHERE}`,
    ],
    [
      'sends conversions elsewhere behind the right beginning',
      [good, patch('works.work.karmada.io', 'https://{{name}}.{{namespace}}.svc.evil.com/convert')],
      `${worksPath} ${ELSEWHERE}`,
    ],
    [
      'sends conversions to a Service',
      [
        good,
        {
          ...works,
          text: works.text.replace('caBundle:', 'service: { name: a }\n        caBundle:'),
        },
      ],
      `${worksPath} ${ELSEWHERE}`,
    ],
    [
      'converts in a way of its own',
      [good, { ...works, text: works.text.replace('strategy: Webhook', 'strategy: Other') }],
      `${worksPath} ${ELSEWHERE}`,
    ],
    [
      'patches more than the conversion',
      [good, { ...works, text: works.text.replace('spec:', 'spec:\n  scope: Cluster') }],
      `${worksPath} patches something other than spec.conversion`,
    ],
    [
      'has another kind among the patches',
      [good, file(worksPath, 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\n')],
      `${worksPath} is a "Secret" of "v1", ${NOT}`,
    ],
  ])('it %s', (_, entries, problem) => {
    expect(parseCrdArchive(entries).problems).toEqual([problem]);
  });
});

describe('an archive has all CRDs of its release', () => {
  const lacks = (entries: readonly ArchiveEntry[], release: string): readonly string[] =>
    lackOf(parseCrdArchive(entries), release);

  it.each(['v1.16.0', 'v1.17.1', 'v1.18.0', 'latest'])('a complete one for %s', (release) => {
    expect(lacks(RELEASE, release)).toEqual([]);
  });

  it('a CRD is missing', () => {
    const without = RELEASE.filter(({ path }) => !path.endsWith('_works.yaml'));
    expect(lacks(without, 'v1.17.1')).toEqual([
      'works.work.karmada.io, which Karmada v1.17.1 needs, is not in it',
    ]);
    expect(lacks(without, 'v1.18.0')).toEqual([]);
  });

  it('a conversion is missing', () => {
    const without = RELEASE.filter(({ path }) => !path.includes('webhook_in_resourcebindings'));
    expect(lacks(without, 'v1.16.0')).toEqual([
      'the conversion of resourcebindings.work.karmada.io below crds/patches is not in it',
    ]);
  });
});
