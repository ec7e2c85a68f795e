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

describe('crds', () => {
  const archive = parseCrdArchive(ARCHIVE);
  const [serviceExports, bindings, works] = crds(INPUT, archive);

  it('renders all CRDs of the archive in path order', () => {
    expect(archive.problems).toEqual([]);
    expect(crds(INPUT, archive).map(({ metadata }) => metadata.name)).toEqual([
      'serviceexports.multicluster.x-k8s.io',
      'resourcebindings.work.karmada.io',
      'works.work.karmada.io',
    ]);
  });

  it('renders the conversion into the CRD with the webhook server of this control plane', () => {
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

  it('keeps annotations and drops fields that the API server sets', () => {
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

  it('inserts placeholder values unchanged', () => {
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

  it('ignores a conversion in a CRD file', () => {
    const own = base('work.karmada.io', 'works', '  conversion: { strategy: None }\n');
    const [crd] = crds(INPUT, parseCrdArchive([own]));
    expect(crd?.['spec']).not.toHaveProperty('conversion');
  });
});

const NOT = 'not a CustomResourceDefinition of apiextensions.k8s.io/v1';
const OTHER_FILE =
  'is not an expected file (crds/bases/…yaml, crds/patches/…yaml or crds/kustomization.yaml)';
const ELSEWHERE = 'configures a conversion that does not use karmada-webhook';

/** Nine levels of nine YAML aliases: a few hundred bytes that expand to 387 million values. */
const BOMB = Array.from({ length: 9 }, (_, level) =>
  level === 0
    ? 'a0: &a0 [x,x,x,x,x,x,x,x,x]'
    : `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(',')}]`,
).join('\n');

describe('toCrdArchive', () => {
  const good = base('work.karmada.io', 'works');
  const path = 'crds/bases/x/x.yaml';
  const works = patch('works.work.karmada.io');
  const worksPath = 'crds/patches/webhook_in_works.yaml';

  it.each<[string, readonly ArchiveEntry[], string]>([
    ['is empty', [], 'crds/bases contains no files'],
    [
      'has no file in crds/bases',
      [file('crds/kustomization.yaml', '')],
      'crds/bases contains no files',
    ],
    [
      'contains an object of another kind',
      [good, file(path, 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\nspec: {}\n')],
      `${path} is a "Secret" of "v1", ${NOT}`,
    ],
    [
      'contains a CRD of apiextensions.k8s.io/v1beta1',
      [good, file(path, good.text.replace('/v1\n', '/v1beta1\n'))],
      `${path} is a "CustomResourceDefinition" of "apiextensions.k8s.io/v1beta1", ${NOT}`,
    ],
    [
      'contains a List',
      [good, file(path, 'apiVersion: v1\nkind: List\nitems: []\n')],
      `${path} is a "List" of "v1", ${NOT}`,
    ],
    [
      'contains a kind with a line break',
      [good, file(path, 'apiVersion: v1\nkind: "a\\nb"\n')],
      `${path} is a "a\\nb" of "v1", ${NOT}`,
    ],
    [
      'contains two YAML documents in one file',
      [good, file(path, `${good.text}---\n${good.text}`)],
      `${path} contains more than one YAML document`,
    ],
    ['contains invalid YAML', [good, file(path, 'a: [')], `${path} is not valid YAML`],
    [
      'has a patch of Karmada v1.11 or earlier',
      [good, file('crds/patches/a.yaml', 'spec:\n  caBundle: {{caBundle}}\n')],
      'crds/patches/a.yaml is of Karmada v1.12 or earlier, which the operator does not support; the oldest supported release is v1.13',
    ],
    ['contains an empty file', [good, file(path, '')], `${path} is not valid YAML`],
    ['contains a YAML string', [good, file(path, 'hello\n')], `${path} is ${NOT}`],
    ['contains a YAML null', [good, file(path, 'null\n')], `${path} is ${NOT}`],
    [
      'contains YAML aliases that expand to a huge tree',
      [good, file(path, BOMB)],
      `${path} contains YAML aliases, which are not allowed`,
    ],
    [
      'contains a YAML merge key',
      [good, file(path, 'a: &a { b: c }\nd: { <<: *a }\n')],
      `${path} contains YAML aliases, which are not allowed`,
    ],
    [
      'contains too deeply nested YAML',
      [good, file(path, '['.repeat(10_000))],
      `${path} is nested more than 100 levels deep`,
    ],
    [
      'contains a YAML function tag',
      [good, file(path, 'a: !!js/function "function () {}"\n')],
      `${path} is not valid YAML`,
    ],
    [
      'contains another file type in crds/bases',
      [good, file('crds/bases/x/x.sh', 'true\n')],
      `crds/bases/x/x.sh ${OTHER_FILE}`,
    ],
    [
      'contains a file outside crds/bases and crds/patches',
      [good, file('crds/rbac.yaml', 'kind: ClusterRole\n')],
      `crds/rbac.yaml ${OTHER_FILE}`,
    ],
    [
      'defines a CRD of another API group',
      [good, base('example.com', 'things')],
      `crds/bases/example/example.com_things.yaml defines a kind of the API group "example.com", which is not a CRD group of Karmada`,
    ],
    [
      'defines a CRD of the aggregated API',
      [good, base('cluster.karmada.io', 'clusters')],
      `crds/bases/cluster/cluster.karmada.io_clusters.yaml defines a kind of the API group "cluster.karmada.io", which is not a CRD group of Karmada`,
    ],
    [
      'defines the CRD of the operator',
      [good, base('operator.karmada.io', 'karmadas')],
      `crds/bases/operator/operator.karmada.io_karmadas.yaml defines a kind of the API group "operator.karmada.io", which is not a CRD group of Karmada`,
    ],
    [
      'defines a CRD of a group that only ends with karmada.io',
      [good, base('evilkarmada.io', 'things')],
      `crds/bases/evilkarmada/evilkarmada.io_things.yaml defines a kind of the API group "evilkarmada.io", which is not a CRD group of Karmada`,
    ],
    [
      'defines a CRD without a group',
      [good, file(path, good.text.replace('  group: work.karmada.io\n', ''))],
      `${path} defines a kind of the API group "undefined", which is not a CRD group of Karmada`,
    ],
    [
      'defines a CRD with a wrong name',
      [{ ...good, text: good.text.replace('name: works.', 'name: others.') }],
      'crds/bases/work/work.karmada.io_works.yaml has a metadata.name that does not match its plural and group',
    ],
    [
      'defines a CRD with an invalid plural',
      [{ ...good, text: good.text.replaceAll('works', 'wo/rks') }],
      'crds/bases/work/work.karmada.io_works.yaml has a metadata.name that does not match its plural and group',
    ],
    [
      'defines a CRD twice',
      [good, { ...good, path: 'crds/bases/work/again.yaml' }],
      'works.work.karmada.io is defined by more than one file',
    ],
    [
      'patches a CRD twice',
      [good, works, { ...works, path: 'crds/patches/again.yaml' }],
      '"works.work.karmada.io" is patched by more than one file',
    ],
    [
      'patches a CRD that it does not define',
      [good, patch('others.work.karmada.io')],
      'crds/patches/webhook_in_others.yaml patches "others.work.karmada.io", which no file defines',
    ],
    [
      'sends conversions to another host',
      [good, patch('works.work.karmada.io', 'https://evil.example.com/convert')],
      `${worksPath} ${ELSEWHERE}`,
    ],
    [
      'sends conversions to another host with the expected prefix',
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
      'sets an unknown conversion strategy',
      [good, { ...works, text: works.text.replace('strategy: Webhook', 'strategy: Other') }],
      `${worksPath} ${ELSEWHERE}`,
    ],
    [
      'has annotations that are no texts',
      [{ ...good, text: good.text.replace('annotations:', 'annotations:\n    a: [{}]') }],
      'crds/bases/work/work.karmada.io_works.yaml has another type than a CRD in "metadata.annotations.a"',
    ],
    [
      'has more values than a CRD has',
      [{ ...good, text: `${good.text}x: [${'{},'.repeat(50_000)}]\n` }],
      'crds/bases/work/work.karmada.io_works.yaml has more than 50000 values',
    ],
    [
      'patches more than the conversion',
      [good, { ...works, text: works.text.replace('spec:', 'spec:\n  scope: Cluster') }],
      `${worksPath} patches something other than spec.conversion`,
    ],
    [
      'contains an object of another kind in crds/patches',
      [good, file(worksPath, 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\n')],
      `${worksPath} is a "Secret" of "v1", ${NOT}`,
    ],
  ])('reports a problem when the archive %s', (_, entries, problem) => {
    expect(parseCrdArchive(entries).problems).toEqual([problem]);
  });
});

describe('lackOf', () => {
  const lacks = (entries: readonly ArchiveEntry[], release: string): readonly string[] =>
    lackOf(parseCrdArchive(entries), release);

  it.each(['v1.16.0', 'v1.17.1', 'v1.18.2', 'v1.19.0', 'latest'])(
    'reports nothing when the archive is complete for %s',
    (release) => {
      expect(lacks(RELEASE, release)).toEqual([]);
    },
  );

  it('reports a missing CRD of a known release', () => {
    const without = RELEASE.filter(({ path }) => !path.endsWith('_works.yaml'));
    expect(lacks(without, 'v1.17.1')).toEqual([
      'works.work.karmada.io, required by Karmada v1.17.1, is missing',
    ]);
    expect(lacks(without, 'v1.19.0')).toEqual([]);
  });

  it('reports a missing conversion', () => {
    const without = RELEASE.filter(({ path }) => !path.includes('webhook_in_resourcebindings'));
    expect(lacks(without, 'v1.16.0')).toEqual([
      'the conversion of resourcebindings.work.karmada.io in crds/patches is missing',
    ]);
  });
});
