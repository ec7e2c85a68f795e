import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-point.ts';
import { load } from 'js-yaml';
import { kindSchemas } from '../../../scripts/crd/kinds.ts';
import type { Karmada } from '../../api/karmada.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { fieldSchemas } from '../fields/field-schema.ts';
import { objectFiles, projectReport, statusFiles } from './report-files.ts';
import type { ReportFacts } from './read-report.ts';
import { schemaShapes } from './redact/schema-shapes.ts';
import { textsIn } from './redact/shape.ts';
import { reportRedactor } from './report-redactor.ts';
import { vocabularyOf } from './vocabulary.ts';

const SHAPES = schemaShapes(fieldSchemas(kindSchemas));
const NOW = Date.parse('2026-01-02T03:04:05Z');
const LABELS = {
  'app.kubernetes.io/instance': 'demo',
  'app.kubernetes.io/managed-by': 'karmada-operator',
  'app.kubernetes.io/name': 'karmada-apiserver',
};
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The file of every ServiceAccount volume. */
const NAMESPACE = [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const object = (kind: string, name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'team', labels: LABELS },
  ...more,
});

/** A sidecar with the secret in every field that a user chooses freely. */
const sidecar = (secret: string): object => ({
  name: 'sidecar',
  image: 'docker.io/library/busybox:1.36',
  command: ['sh', '-c', `run ${secret}`],
  args: [secret, `--password=${secret}`, '--verbose', '--v=4'],
  env: [
    { name: 'PASSWORD', value: secret },
    { name: 'HTTPS_PROXY', value: `http://user:${encodeURIComponent(secret)}@proxy:3128` },
    { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'sidecar-token', key: 'token' } } },
  ],
  livenessProbe: {
    httpGet: {
      path: `/healthz?token=${secret}`,
      port: 80,
      httpHeaders: [{ name: 'Authorization', value: `Bearer ${secret}` }],
    },
    periodSeconds: 10,
  },
  lifecycle: { preStop: { exec: { command: [secret] } } },
});

/** Node affinity for labels with the secret. */
const selecting = (secret: string): object => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'pool', operator: 'In', values: [secret] }] },
      ],
    },
  },
});

function karmadaWith(secret: string): Karmada {
  const component = { extraArgs: { 'some-flag': secret, v: '4', [secret]: 'x' } };
  return {
    ...object('Karmada', 'demo'),
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: {
      name: 'demo',
      namespace: 'team',
      annotations: {
        'example.com/note': secret,
        'operator.karmada.io/applied-hash': secret,
        [LAST_APPLIED]: JSON.stringify({ spec: { secret } }),
      },
      labels: { team: secret },
      managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': { [`v:"${secret}"`]: {} } } }],
    },
    spec: {
      crdTarball: {
        httpSource: {
          url: `https://user:${secret}@crds.example/crds.tar.gz?token=${secret}`,
          proxy: { proxyURL: `http://user:${secret}@proxy:3128` },
        },
      },
      podSettings: [
        {
          env: [{ name: 'PASSWORD', value: secret }],
          nodeSelector: { pool: secret },
          dnsConfig: { options: [{ name: 'ndots', value: secret }] },
        },
      ],
      components: {
        karmadaScheduler: component,
        karmadaAPIServer: {
          ...component,
          annotations: { note: secret },
          affinity: selecting(secret) as never,
          serviceAnnotations: { note: secret },
          sidecarContainers: [sidecar(secret)] as never,
          extraVolumes: [
            { name: 'csi', csi: { driver: 'd', volumeAttributes: { key: secret } } },
            { name: 'host', hostPath: { path: `/data/${secret}` } },
          ],
        },
      },
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Failed',
          message: `flag --some-flag=${secret} is not valid`,
          lastTransitionTime: '2026-01-02T03:04:05Z',
        },
      ],
    },
  };
}

function factsWith(secret: string): ReportFacts {
  const metadata = { labels: LABELS, annotations: { note: secret } };
  const pod = object('Pod', 'demo-karmada-apiserver-x', {
    metadata: { ...metadata, name: 'demo-karmada-apiserver-x', namespace: 'team' },
    spec: { nodeName: 'worker', containers: [sidecar(secret)] },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'sidecar',
          restartCount: 3,
          lastState: { terminated: { exitCode: 1, message: `refused ${secret}` } },
        },
      ],
    },
  });
  const template = { metadata, spec: { containers: [sidecar(secret)] } };
  return {
    controlPlanes: [
      {
        karmada: karmadaWith(secret),
        host: {
          lists: {
            deployments: [object('Deployment', 'demo-karmada-apiserver', { spec: { template } })],
            pods: [pod],
            configmaps: [
              object('ConfigMap', 'demo-karmada-config', {
                data: { kubeconfig: `users: [{ user: { token: '${secret}' } }]`, plain: secret },
                binaryData: { file: base64(secret) },
              }),
            ],
            events: [
              object('Event', 'demo.1', {
                reason: 'Failed',
                note: `cannot pull with ${secret} or ${base64(secret)}`,
                regarding: { kind: 'Pod', name: 'demo-karmada-apiserver-x' },
              }),
            ],
            storageclasses: [
              object('StorageClass', 'fast', { provisioner: 'x', parameters: { key: secret } }),
            ],
          },
          secrets: [
            object('Secret', 'demo-karmada-cert', {
              metadata: { ...metadata, name: 'demo-karmada-cert', namespace: 'team' },
              type: 'Opaque',
              data: { 'tls.key': base64(secret), password: base64(`${secret}2`) },
            }),
          ],
          certificates: undefined,
          kubernetesVersion: 'v1.35.4',
        },
        management: {
          karmadabackupstores: [
            object('KarmadaBackupStore', 'main', {
              spec: { s3: { endpoint: `https://user:${secret}@s3.example` } },
            }),
          ],
        },
      },
    ],
    operator: { deployments: [], pods: [pod] },
    secrets: [object('Secret', 'other', { data: { 'other.txt': base64(`other-${secret}`) } })],
    versions: [],
  };
}

/** Files of a report with a log, as text. */
function reportOf(facts: ReportFacts, log = ''): readonly string[] {
  const vocabulary = vocabularyOf(TEMPLATES, facts.controlPlanes[0]?.karmada ?? karmadaWith(''));
  const disclosure = { vocabulary, shapes: SHAPES };
  const projected = projectReport(facts, disclosure);
  const redactor = reportRedactor(facts, projected.hidden, disclosure);
  const files = [
    ...objectFiles(projected.files, redactor),
    ...statusFiles(facts.controlPlanes, redactor, NOW),
    { path: 'log', text: redactor.text(log) },
  ];
  return files.map(({ text }) => redactor.known(text));
}

/** A secret that does not occur in a report by chance. */
const secrets = fc
  .string({ unit: codePoint, minLength: 8, maxLength: 60 })
  .filter((text) => text.isWellFormed() && new Set(text.replaceAll(/\s/g, '')).size > 6);

const logOf = (secret: string): string =>
  [
    `FLAG: --some-flag="${secret}"`,
    JSON.stringify({ level: 30, msg: `proxy ${secret}` }),
    JSON.stringify({ msg: JSON.stringify({ password: secret }) }),
    `auth ${base64(`user:${secret}`)} url http://x/${encodeURIComponent(secret)}`,
    `other other-${secret}.`,
  ].join('\n');

describe('a report', () => {
  it('never contains a planted secret, in any form', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const texts = reportOf(factsWith(secret), logOf(secret));
        const all = texts.join('\n');
        const inYaml = texts.slice(0, -2).flatMap((text) => textsIn(load(text)));
        const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
        const found = [...forms, base64(secret).replaceAll('=', '').slice(0, -1)].filter(
          (form) => all.includes(form) || inYaml.some((text) => text.includes(form)),
        );
        expect(found).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('shows names, flags and states', () => {
    const all = reportOf(factsWith('planted-secret-1'), 'listening on 8080').join('\n');
    for (const text of [
      'name: demo-karmada-apiserver-x',
      'image: docker.io/library/busybox:1.36',
      'some-flag: (redacted)',
      "v: '4'",
      '- --password=(redacted)',
      '- --verbose',
      '- --v=4',
      'name: sidecar-token',
      'path: (redacted)',
      'message: flag --some-flag=(redacted) is not valid',
      'restartCount: 3',
      'plain: 16 characters',
      'bytes: 16',
      'note: cannot pull with (redacted) or (redacted)',
      'endpoint: https://(redacted)@s3.example',
      'listening on 8080',
    ])
      expect(all).toContain(text);
  });

  it('shows names of objects that are also values of hidden fields', () => {
    const facts = factsWith('planted-secret-1');
    const env = [{ name: 'POD', value: 'demo-karmada-etcd-0' }];
    const pods = [
      object('Pod', 'demo-karmada-etcd-0', {
        spec: {
          containers: [{ name: 'etcd', image: 'etcd.example/etcd:3.6', env }],
          volumes: [
            { name: 'api', projected: { sources: [{ downwardAPI: { items: NAMESPACE } }] } },
          ],
        },
      }),
    ];
    const own = { ...facts, operator: { deployments: [], pods } };
    const log = 'demo-karmada-etcd-0 runs etcd.example/etcd:3.6 in its namespace';
    const all = reportOf(own, log).join('\n');
    expect(all).toContain('name: demo-karmada-etcd-0');
    expect(all).toContain(log);
  });

  it('shows the arguments that the operator itself writes', () => {
    const facts = factsWith('planted-secret-1');
    const argument = '--tls-min-version=VersionTLS13';
    const [plane] = facts.controlPlanes;
    const spec = { containers: [{ name: 'main', command: ['kube-apiserver', argument] }] };
    const pods = [object('Pod', 'demo-karmada-apiserver-y', { spec })];
    const host = plane?.host && { ...plane.host, lists: { pods } };
    const own = { ...facts, controlPlanes: plane ? [{ ...plane, host }] : [] };
    expect(reportOf(own).join('\n')).toContain(`- kube-apiserver\n`);
    expect(reportOf(own).join('\n')).toContain(argument);
  });
});
