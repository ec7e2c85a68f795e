import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { LABELS } from '../../harness/servers/apiserver-client.ts';

const namespace = 'default';

function named(name: string): KubernetesObject['metadata'] {
  return { name, namespace, labels: LABELS };
}

/** Pod template that uses each type of field that the API server defaults. */
function podTemplate(name: string): Record<string, unknown> {
  return {
    metadata: { labels: { app: name } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.invalid/main:v1',
          command: ['main', '--flag=a'],
          env: [
            { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'PLAIN', value: 'x' },
          ],
          ports: [{ name: 'https', containerPort: 5443 }],
          livenessProbe: { httpGet: { path: '/livez', port: 5443 }, failureThreshold: 5 },
          startupProbe: { httpGet: { path: '/livez', port: 'https' }, periodSeconds: 1 },
          resources: { requests: { cpu: '0.5', memory: '1024Mi' }, limits: { cpu: 2 } },
          lifecycle: { preStop: { sleep: { seconds: 5 } } },
          volumeMounts: [{ name: 'certs', mountPath: '/certs', readOnly: true }],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
      volumes: [
        {
          name: 'certs',
          secret: { secretName: 'certs', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
        },
        { name: 'scratch', emptyDir: {} },
      ],
      tolerations: [{ key: 'x', operator: 'Exists' }],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: { app: name } },
              },
            },
          ],
        },
      },
    },
  };
}

export function deployment(name: string): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: named(name),
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: podTemplate(name),
    },
  };
}

const crdSchema = {
  type: 'object',
  properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
};

/** One object of each applied kind, with the fields that the operator uses. */
export function allKinds(): KubernetesObject[] {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
  const webhook = {
    name: 'check.example.io',
    clientConfig: { service: { namespace, name: 'webhook', path: '/check' }, caBundle: 'Cg==' },
    rules: [
      { operations: ['CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['widgets'] },
    ],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const rbac = 'rbac.authorization.k8s.io/v1';
  const admission = 'admissionregistration.k8s.io/v1';
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'made', labels: LABELS } },
    deployment('all-deployment'),
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: named('all-statefulset'),
      spec: {
        replicas: 1,
        serviceName: 'all',
        selector: { matchLabels: { app: 'all' } },
        updateStrategy: { type: 'OnDelete' },
        podManagementPolicy: 'Parallel',
        template: podTemplate('all'),
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1024Mi' } },
            },
          },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: named('all-service'),
      spec: {
        type: 'ClusterIP',
        publishNotReadyAddresses: true,
        selector: { app: 'all' },
        ports: [
          { name: 'client', port: 5443, targetPort: 5443 },
          { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: named('all-external'),
      spec: { type: 'ExternalName', externalName: 'x.example.svc' },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: named('all-secret'),
      type: 'Opaque',
      data: { 'ca.key': Buffer.from('very secret').toString('base64') },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: named('all-configmap'), data: { a: 'b' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: named('all-account') },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: named('all-budget'),
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'all' } } },
    },
    {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: 'all:Role', labels: LABELS },
      rules,
    },
    {
      apiVersion: rbac,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'all', labels: LABELS },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'all:Role' },
      subjects: [
        { kind: 'ServiceAccount', name: 'x', namespace },
        { kind: 'Group', name: 'system:masters' },
      ],
    },
    { apiVersion: rbac, kind: 'Role', metadata: named('all-role'), rules },
    {
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: named('all-binding'),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'all-role' },
      subjects: [{ kind: 'User', name: 'x' }],
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.io', labels: LABELS },
      spec: {
        group: 'example.io',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: crdSchema } },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { url: 'https://hook.example.svc/convert', caBundle: 'Cg==' },
          },
        },
      },
    },
    {
      apiVersion: admission,
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'all-mutating', labels: LABELS },
      webhooks: [webhook],
    },
    {
      apiVersion: admission,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'all-validating', labels: LABELS },
      webhooks: [webhook],
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1alpha1.things.example.io', labels: LABELS },
      spec: {
        group: 'things.example.io',
        version: 'v1alpha1',
        groupPriorityMinimum: 2000,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { name: 'things', namespace },
      },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: named('all-job'),
      spec: {
        backoffLimit: 3,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'j', image: 'i' }] } },
      },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: named('all-cronjob'),
      spec: {
        schedule: '*/5 * * * *',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'j', image: 'i' }] } },
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: named('all-claim'),
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'all-priority', labels: LABELS },
      value: 1000,
    },
  ];
}
