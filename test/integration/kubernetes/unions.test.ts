import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Applier } from '../../../src/kubernetes/apply/apply.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { isStatus } from '../../../src/kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { keyOf, resources } from '../../../src/kubernetes/objects/resources.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { allKinds, deployment } from './samples.ts';

let api: ApiServer;
let client: KubernetesClient;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api);
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

interface Loose {
  [key: string]: Loose | undefined;
}

/** A copy of the sample object of the kind, changed by `edit`. */
function variant(kind: string, edit: (object: Loose) => void): KubernetesObject {
  const sample =
    kind === 'Deployment' ? deployment('union') : allKinds().find((each) => each.kind === kind);
  const copy = structuredClone(sample) as unknown as Loose;
  edit(copy);
  return copy as unknown as KubernetesObject;
}

const container = (change: Record<string, unknown>) => (object: Loose) => {
  const target = object.spec?.template?.spec?.containers?.[0];
  if (target !== undefined) Object.assign(target, change);
};
const volume = (source: Record<string, unknown>) => (object: Loose) => {
  const volumes = object.spec?.template?.spec?.volumes as unknown as object[];
  volumes[0] = { name: 'certs', ...source };
};
const spec = (change: Record<string, unknown>) => (object: Loose) => {
  Object.assign(object.spec ?? {}, change);
};
const service = (change: Record<string, unknown>) => (object: Loose) => {
  object.spec = { selector: { app: 'all' }, ports: [{ port: 53 }], ...change } as never;
};
const hook = (clientConfig: object) => (object: Loose) => {
  Object.assign(object.webhooks?.[0] ?? {}, { clientConfig });
};
const env = (value: object) => container({ env: [{ name: 'PLAIN', ...value }] });
const none = undefined;

const probes = [
  { httpGet: { path: '/a', port: 1 } },
  { tcpSocket: { port: 2 } },
  { grpc: { port: 3 } },
  { exec: { command: ['x'] } },
  none,
];
const handlers = [
  { sleep: { seconds: 5 } },
  { httpGet: { path: '/a', port: 1 } },
  { exec: { command: ['x'] } },
  none,
];
const sources = [
  { secret: { secretName: 's' } },
  { configMap: { name: 'c', items: [{ key: 'a', path: 'b' }] } },
  { emptyDir: { medium: 'Memory' } },
  { projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'c' } }] } },
  { hostPath: { path: '/x', type: 'DirectoryOrCreate' } },
  { persistentVolumeClaim: { claimName: 'p' } },
  { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  { csi: { driver: 'd.example', readOnly: true } },
  { nfs: { server: 'n', path: '/' } },
  {
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    },
  },
];
const hookService = { service: { namespace: 'default', name: 'a' }, caBundle: 'Cg==' };

/** Unions in the applied kinds: fields of which only one may be set. */
const table: [name: string, kind: string, edits: ((object: Loose) => void)[]][] = [
  ...['livenessProbe', 'readinessProbe', 'startupProbe'].map(
    (field): [string, string, ((object: Loose) => void)[]] => [
      field,
      'Deployment',
      probes.map((probe) => container({ [field]: probe })),
    ],
  ),
  [
    'lifecycle.preStop',
    'Deployment',
    handlers.map((preStop) => container({ lifecycle: preStop && { preStop } })),
  ],
  [
    'lifecycle.postStart',
    'Deployment',
    handlers.map((postStart) => container({ lifecycle: postStart && { postStart } })),
  ],
  ['volumes', 'Deployment', sources.map(volume)],
  [
    'env',
    'Deployment',
    [
      env({ value: 'x' }),
      env({ valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }),
      env({ valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }),
      env({ valueFrom: { configMapKeyRef: { name: 's', key: 'k' } } }),
      env({ valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }),
    ],
  ],
  [
    'strategy',
    'Deployment',
    [
      spec({
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      }),
      spec({ strategy: { type: 'Recreate' } }),
      spec({ strategy: { type: 'RollingUpdate' } }),
      spec({ strategy: none }),
    ],
  ],
  [
    'updateStrategy',
    'StatefulSet',
    [
      spec({ updateStrategy: { type: 'OnDelete' } }),
      spec({ updateStrategy: { type: 'RollingUpdate' } }),
      spec({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }),
    ],
  ],
  [
    'securityContext.seccompProfile',
    'Deployment',
    [
      container({
        securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'p' } },
      }),
      container({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }),
      container({ securityContext: none }),
    ],
  ],
  [
    'PodDisruptionBudget',
    'PodDisruptionBudget',
    [spec({ minAvailable: 1 }), spec({ minAvailable: none, maxUnavailable: 1 })],
  ],
  [
    'ValidatingWebhookConfiguration clientConfig',
    'ValidatingWebhookConfiguration',
    [hook(hookService), hook({ url: 'https://a.example/x', caBundle: 'Cg==' })],
  ],
  [
    'MutatingWebhookConfiguration clientConfig',
    'MutatingWebhookConfiguration',
    [
      hook({ ...hookService, service: { ...hookService.service, port: 8443 } }),
      hook({ url: 'https://a.example/x' }),
    ],
  ],
  [
    'CustomResourceDefinition conversion',
    'CustomResourceDefinition',
    [
      spec({
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { url: 'https://a.example/x' },
          },
        },
      }),
      spec({
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { service: hookService.service },
          },
        },
      }),
      spec({ conversion: { strategy: 'None' } }),
      spec({ conversion: none }),
    ],
  ],
  [
    'Service type',
    'Service',
    [
      service({ type: 'ClusterIP' }),
      service({ type: 'NodePort' }),
      service({ type: 'LoadBalancer' }),
      service({ type: 'ExternalName', externalName: 'a.example', selector: none, ports: none }),
    ],
  ],
  [
    'APIService service',
    'APIService',
    [spec({}), spec({ service: { name: 'x', namespace: 'default', port: 6443 } })],
  ],
];

/** Fields that the API server allocates for each object, and the group that `unused` changes. */
const DRAWN = new Set(['clusterIP', 'clusterIPs', 'nodePort', 'healthCheckNodePort', 'group']);

/**
 * The object under a name that this test has not used. Only CustomResourceDefinitions need one: the
 * API server deletes their instances first, which can last longer than a minute on busy CPUs.
 */
function unused(object: KubernetesObject, number: number): KubernetesObject {
  if (object.kind !== 'CustomResourceDefinition') return object;
  const group = `union-${String(number)}.example.io`;
  return {
    ...object,
    metadata: { ...object.metadata, name: `widgets.${group}` },
    spec: { ...(object.spec as object), group },
  };
}

function comparable(object: KubernetesObject): unknown {
  const { spec, webhooks } = object;
  return JSON.parse(
    JSON.stringify({ spec, webhooks }, (key, value: unknown) =>
      DRAWN.has(key) ? undefined : value,
    ),
  );
}

const applier = (): Applier => new Applier({ client, fieldManager: 'karmada-operator' });

/** Applies an object like a worker: after a conflict with another write, it reads the object again. */
async function put(desired: KubernetesObject): Promise<KubernetesObject> {
  const type = client.typeOf(desired);
  const outcome = await eventually('no conflict', async () => {
    const cached = await client.find(type, keyOf(desired));
    try {
      const result = await applier().apply({ desired, cached, owns: () => true });
      return 'message' in result ? `${result.outcome}: ${result.message}` : result.outcome;
    } catch (error) {
      if (isStatus(error, 409)) return undefined;
      throw error;
    }
  });
  expect(outcome).toMatch(/^(created|configured|unchanged)$/);
  const again = await applier().apply({ desired, owns: () => true });
  expect(again).toMatchObject({ outcome: 'unchanged' });
  return client.get(type, keyOf(desired));
}

async function remove(object: KubernetesObject): Promise<void> {
  const type = client.typeOf(object);
  if ((await client.find(type, keyOf(object))) === undefined) return;
  await client.delete(type, keyOf(object), { propagationPolicy: 'Background' });
  await eventually('deleted', async () => (await client.find(type, keyOf(object))) === undefined);
}

describe('changes of union fields', () => {
  it.each(table)(
    'give the same object as a new one for each change of %s',
    async (_name, kind, edits) => {
      const variants = edits.map((edit) => variant(kind, edit));
      const fresh: unknown[] = [];
      let number = 0;
      for (const object of variants) {
        await remove(object);
        fresh.push(comparable(await put(unused(object, number++))));
      }
      for (const [from, before] of variants.entries()) {
        for (const [to, after] of variants.entries()) {
          if (from === to) continue;
          await remove(before);
          await put(unused(before, ++number));
          const found = comparable(await put(unused(after, number)));
          expect([from, to, found]).toEqual([from, to, fresh[to]]);
        }
      }
    },
    120_000,
  );

  it('replace a union field that another manager has set, and keep other fields of that manager', async () => {
    const object = variant('Deployment', container({ livenessProbe: probes[0] }));
    await remove(object);
    await put(object);
    const theirs = [
      { op: 'replace', path: '/spec/template/spec/containers/0/livenessProbe', value: probes[3] },
      { op: 'add', path: '/metadata/annotations/theirs', value: 'x' },
    ];
    await client.patch(resources.Deployment, keyOf(object), theirs, { fieldManager: 'someone' });
    const found = await put(object);
    expect(found.metadata.annotations).toMatchObject({ theirs: 'x' });
    expect(JSON.stringify(found.spec)).not.toContain('"exec"');
  });
});
