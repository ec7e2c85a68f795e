import { describe, expect, it } from '@jest/globals';
import { kindSchemas } from '../../../../scripts/crd/kinds.ts';
import { fieldSchemas, type FieldSchema } from '../../fields/field-schema.ts';
import { schemaShapes, specShape } from './schema-shapes.ts';
import { project, type Shape } from './shape.ts';

const SHAPES = schemaShapes(fieldSchemas(kindSchemas));

/** Paths of the texts that a report hides. */
function hiddenPaths(shape: Shape, path = ''): readonly string[] {
  switch (shape.kind) {
    case 'fields':
      return Object.entries(shape.fields).flatMap(([name, part]) =>
        hiddenPaths(part, path === '' ? name : `${path}.${name}`),
      );
    case 'list':
      return hiddenPaths(shape.item, `${path}[]`);
    case 'map':
      return hiddenPaths(shape.value, `${path}{}`);
    default:
      return shape.kind === 'shown' || shape.kind === 'omitted' ? [] : [path];
  }
}

/** Components have the same settings; Kubernetes types have a list of their own. */
const REPEATED =
  /^metadata|components\.(?!etcd|karmadaAPIServer)|affinity|extraVolumes\[|sidecarContainers/;

const hidden = (kind: keyof typeof SHAPES): readonly string[] =>
  hiddenPaths(SHAPES[kind]).filter((path) => !REPEATED.test(path));

describe('schemaShapes', () => {
  it('hides only these texts of a Karmada', () => {
    const etcd = 'spec.components.etcd.local';
    const server = 'spec.components.karmadaAPIServer';
    const settings = [
      ...['labels{}', 'annotations{}', 'nodeSelector{}'],
      ...['resources.claims[]', 'tolerations[].value'],
    ];
    const mounts = ['mountPath', 'subPath', 'subPathExpr'];
    const claim = ['metadata.labels{}', 'metadata.annotations{}'];
    const values = ['matchExpressions[].values[]', 'matchLabels{}'];
    const pods = 'spec.podSettings[]';
    expect([...hidden('Karmada')].sort()).toEqual(
      [
        ...settings.flatMap((name) => [`${etcd}.${name}`, `${server}.${name}`]),
        ...[`${etcd}.extraArgs{}`, `${server}.extraArgs{}`, `${server}.serviceAnnotations{}`],
        ...mounts.map((name) => `${server}.extraVolumeMounts[].${name}`),
        ...claim.map((name) => `${etcd}.volumeData.volumeClaim.${name}`),
        ...values.map((name) => `${etcd}.volumeData.volumeClaim.spec.selector.${name}`),
        ...[etcd, server, pods].flatMap((of) =>
          values.map((name) => `${of}.topologySpreadConstraints[].labelSelector.${name}`),
        ),
        ...[`${etcd}.volumeData.hostPath.path`, `${pods}.nodeSelector{}`, `${pods}.env[].value`],
        ...[`${pods}.resources.claims[]`, `${pods}.tolerations[].value`],
        ...[`${pods}.dnsConfig.options[].value`, `${pods}.podSecurityContext.sysctls[].value`],
        ...['appArmorProfile', 'seccompProfile'].map(
          (name) => `${pods}.securityContext.${name}.localhostProfile`,
        ),
        ...['url', 'proxy.proxyURL', 'caBundle'].map(
          (name) => `spec.crdTarball.httpSource.${name}`,
        ),
      ].sort(),
    );
  });

  it.each([
    'KarmadaBackup',
    'KarmadaBackupSchedule',
    'KarmadaBackupStore',
    'KarmadaRestore',
  ] as const)('hides no text of a %s, whose references to Secrets are names', (kind) => {
    expect(hidden(kind)).toEqual([]);
  });

  it('hides values of variables and arguments of a sidecar, and shows its names', () => {
    const containers = hiddenPaths(SHAPES.Karmada).filter((path) => /sidecar/.test(path));
    const names = containers.map((path) => path.slice(path.indexOf('[].') + 3));
    expect(names).toEqual(expect.arrayContaining(['env[].value', 'args', 'command']));
    expect(
      names.filter((name) => /^(name|image|env\[\]\.name|.*(Ref|Source)\.name)$/.test(name)),
    ).toEqual([]);
  });

  it.each<readonly [string, object]>([
    ['podSettings', { podSettings: [{ components: ['etcd'], runtimeClassName: 'gvisor' }] }],
    ['monitoring', { monitoring: { clientCertificate: true } }],
    ['deletionPolicy', { deletionPolicy: 'ConfirmMembers' }],
    [
      'affinity',
      {
        components: {
          karmadaWebhook: {
            affinity: {
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname' } },
                ],
              },
            },
          },
        },
      },
    ],
    ['labels of nodes', { podSettings: [{ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }] }],
  ])('shows %s', (_title, spec) => {
    expect(project({ spec }, SHAPES.Karmada, new Set())).toEqual({ value: { spec }, hidden: [] });
  });
});

describe('specShape', () => {
  it.each<readonly [string, FieldSchema, string]>([
    ['a text', { type: 'string' }, 'free'],
    ['a text that is shown', { type: 'string', disclosure: 'shown' }, 'shown'],
    ['a number', { type: 'integer' }, 'shown'],
    ['a boolean', { type: 'boolean' }, 'shown'],
    ['a command line', { type: 'array', disclosure: 'arguments' }, 'arguments'],
    ['a value of any type', {}, 'free'],
    ['an integer or a text', { 'x-kubernetes-int-or-string': true }, 'free'],
    ['an object without fields', { type: 'object' }, 'free'],
  ])('of %s is %j', (_title, schema: FieldSchema, kind) => {
    expect(specShape(schema).kind).toBe(kind);
  });
});
