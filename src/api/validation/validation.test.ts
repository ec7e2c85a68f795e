import { describe, expect, it } from '@jest/globals';
import type { V1Affinity, V1NodeSelectorTerm, V1PodAffinityTerm } from '@kubernetes/client-node';

import { ACCEPTED } from '../__fixtures__/accepted.ts';
import { karmadaOf } from '../__fixtures__/spec.ts';
import type { CrdTarball } from '../karmada.ts';
import { formatErrors } from './field-error.ts';
import type { Components, KarmadaAPIServer, KarmadaSpec } from '../karmada.ts';
import type { CommonSettings } from '../settings.ts';
import { validate } from './validation.ts';

const webhook = (settings: CommonSettings): KarmadaSpec => ({
  components: { karmadaWebhook: settings },
});
const server = (karmadaAPIServer: KarmadaAPIServer): KarmadaSpec => ({
  components: { karmadaAPIServer },
});
const etcd = (etcd: Components['etcd']): KarmadaSpec => ({ components: { etcd } });
const external = (endpoints: readonly string[], name = 'any', namespace?: string): KarmadaSpec =>
  etcd({ external: { endpoints, secretRef: { name, ...(namespace && { namespace }) } } });

const refused = (
  crdTarball: CrdTarball,
  field: string,
  part: string,
): readonly [KarmadaSpec, string, string] => [{ crdTarball }, `spec.crdTarball.${field}`, part];
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const C = 'spec.components';
const W = `${C}.karmadaWebhook`;
const A = `${C}.karmadaAPIServer`;
const L = `${C}.etcd.local`;

const TERMS = 'requiredDuringSchedulingIgnoredDuringExecution';
const pods = (term: Partial<V1PodAffinityTerm>): V1Affinity => ({
  podAntiAffinity: { [TERMS]: [{ topologyKey: 'a', ...term }] },
});
const nodes = (term: V1NodeSelectorTerm): V1Affinity => ({
  nodeAffinity: { [TERMS]: { nodeSelectorTerms: [term] } },
});
const POD_TERM = `podAntiAffinity.${TERMS}[0]`;
const NODE_TERM = `nodeAffinity.${TERMS}.nodeSelectorTerms[0]`;

const AFFINITIES: readonly (readonly [V1Affinity, string, string])[] = [
  [pods({ topologyKey: 'a b' }), `${POD_TERM}.topologyKey`, 'must be a name'],
  [pods({ namespaces: ['A'] }), `${POD_TERM}.namespaces[0]`, 'must be a DNS label'],
  [
    pods({ labelSelector: { matchLabels: { 'a b': 'c' } } }),
    `${POD_TERM}.labelSelector.matchLabels`,
    'the key must be a name',
  ],
  [
    pods({
      namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] },
    }),
    `${POD_TERM}.namespaceSelector.matchExpressions[0].values[0]`,
    'must be a label value',
  ],
  [pods({ matchLabelKeys: ['a'] }), `${POD_TERM}.matchLabelKeys`, 'set labelSelector as well'],
  [
    pods({ labelSelector: { matchLabels: { a: 'b' } }, matchLabelKeys: ['a'] }),
    `${POD_TERM}.matchLabelKeys[0]`,
    'remove it here',
  ],
  [
    nodes({ matchExpressions: [{ key: '-', operator: 'Exists' }] }),
    `${NODE_TERM}.matchExpressions[0].key`,
    'must be a name',
  ],
  [
    nodes({ matchExpressions: [{ key: 'a', operator: 'In', values: ['a b'] }] }),
    `${NODE_TERM}.matchExpressions[0].values[0]`,
    'must be a label value',
  ],
  [
    nodes({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['A'] }] }),
    `${NODE_TERM}.matchFields[0].values[0]`,
    'must be a DNS name',
  ],
];

const REFUSED: readonly (readonly [KarmadaSpec, string, string])[] = [
  [etcd({ local: { replicas: 100 } }), `${L}.replicas`, 'must be at most 99'],
  [
    webhook({ podDisruptionBudgetConfig: { minAvailable: '1' } }),
    `${W}.podDisruptionBudgetConfig.minAvailable`,
    'a number or a percentage',
  ],
  [
    webhook({ podDisruptionBudgetConfig: { maxUnavailable: '101%' } }),
    `${W}.podDisruptionBudgetConfig.maxUnavailable`,
    'a number or a percentage',
  ],
  [
    webhook({ resources: { requests: { cpu: '2' }, limits: { cpu: '1500m' } } }),
    `${W}.resources.requests["cpu"]`,
    'must not exceed the limit',
  ],
  [
    webhook({ resources: { requests: { 'a.b/c': '1' }, limits: { 'a.b/c': '2' } } }),
    `${W}.resources.requests["a.b/c"]`,
    'must be equal to the limit',
  ],
  [
    webhook({ resources: { limits: { 'a.b/c': '1500m' } } }),
    `${W}.resources.limits["a.b/c"]`,
    'must be an integer',
  ],
  [
    webhook({ resources: { limits: { 'hugepages-2Mi': '3Mi', cpu: '1' } } }),
    `${W}.resources.limits["hugepages-2Mi"]`,
    'multiple of the page size',
  ],
  [
    webhook({ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }),
    `${W}.resources`,
    'request or limit of cpu or memory',
  ],
  [
    server({ sidecarContainers: [{ name: 'a', resources: { limits: { 'a.b/c': '.5' } } }] }),
    `${A}.sidecarContainers[0].resources.limits["a.b/c"]`,
    'must be an integer',
  ],
  [webhook({ annotations: { a: 'é'.repeat(131_000) } }), `${W}.annotations`, 'have 262001 bytes'],
  [
    webhook({ annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    `${W}.annotations["kubernetes.io/config.mirror"]`,
    'remove it',
  ],
  [
    webhook({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': '2147483648' } }),
    `${W}.annotations["controller.kubernetes.io/pod-deletion-cost"]`,
    '32-bit integer',
  ],
  [
    webhook({ annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'localhost/../a' } }),
    `${W}.annotations["seccomp.security.alpha.kubernetes.io/pod"]`,
    'localhost/<profile>',
  ],
  [
    webhook({
      annotations: {
        'container.seccomp.security.alpha.kubernetes.io/karmada-webhook': 'unconfined',
      },
    }),
    `${W}.annotations["container.seccomp.security.alpha.kubernetes.io/karmada-webhook"]`,
    'remove the annotation',
  ],
  [
    webhook({ annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' } }),
    `${W}.annotations["container.apparmor.security.beta.kubernetes.io/a"]`,
    'no such container',
  ],
  [
    server({
      extraVolumes: [
        {
          name: 'a',
          projected: {
            sources: [
              { secret: { name: 'a', items: [{ key: 'a', path: 'p' }] } },
              { configMap: { name: 'a', items: [{ key: 'a', path: 'p' }] } },
            ],
          },
        },
      ],
    }),
    `${A}.extraVolumes[0].projected.sources`,
    'use unique paths',
  ],
  ...AFFINITIES.map(
    ([affinity, field, part]) => [webhook({ affinity }), `${W}.affinity.${field}`, part] as const,
  ),
  [
    etcd({ local: {}, external: { endpoints: ['https://a'], secretRef: {} } }),
    `${C}.etcd`,
    'remove one of them',
  ],
  [
    external(['https://a:2379'], ''),
    `${C}.etcd.external.secretRef.name`,
    'set the Secret with the etcd client certificate',
  ],
  [external(['https://a:2379'], 'A'), `${C}.etcd.external.secretRef.name`, 'a DNS name'],
  [
    external(['https://a:2379'], 'any', 'B'),
    `${C}.etcd.external.secretRef.namespace`,
    'a DNS label',
  ],
  [
    external(['https://a:2379'], 'demo-karmada-etcd-client'),
    `${C}.etcd.external.secretRef.name`,
    'reserved for the copy that the operator creates; reference another Secret',
  ],
  [
    external(['https://a:2379'], 'demo-karmada-etcd-client', 'test'),
    `${C}.etcd.external.secretRef.name`,
    'reserved for the copy that the operator creates; reference another Secret',
  ],
  [
    external(['https://a:2379', 'http://b:2379']),
    `${C}.etcd.external.endpoints`,
    'must be either all https or all http',
  ],
  [external([]), `${C}.etcd.external.endpoints`, 'at least one etcd member'],
  [
    external(['https://a:2379,https://b']),
    `${C}.etcd.external.endpoints[0]`,
    'URL of an etcd member',
  ],
  [
    etcd({
      local: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'delete' as 'Delete' } },
    }),
    `${L}.persistentVolumeClaimRetentionPolicy.whenDeleted`,
    'must be Retain or Delete',
  ],
  [etcd({ local: { replicas: 0 } }), `${L}.replicas`, 'must be 1 or more'],
  [
    etcd({ local: { volumeData: { emptyDir: {}, hostPath: { path: '/a' } } } }),
    `${L}.volumeData`,
    'remove one',
  ],
  [
    etcd({ local: { volumeData: { hostPath: { path: '/a/../b' } } } }),
    `${L}.volumeData.hostPath.path`,
    'without ".."',
  ],
  [
    etcd({ local: { volumeData: { emptyDir: { sizeLimit: '1 GB' } } } }),
    `${L}.volumeData.emptyDir.sizeLimit`,
    'a quantity',
  ],
  [
    etcd({ local: { volumeData: { volumeClaim: { spec: { accessModes: ['ReadWriteOnce'] } } } } }),
    `${L}.volumeData.volumeClaim.spec.resources.requests.storage`,
    'such as 8Gi',
  ],
  [
    etcd({
      local: {
        volumeData: { volumeClaim: { spec: { resources: { requests: { storage: '1Gi' } } } } },
      },
    }),
    `${L}.volumeData.volumeClaim.spec.accessModes`,
    'ReadWriteOnce',
  ],
  [
    etcd({ local: { peerCertSANs: ['Bad_Name'] } }),
    `${L}.peerCertSANs[0]`,
    'an IP address, a DNS name',
  ],
  [server({ replicas: 0 }), `${A}.replicas`, 'must be 1 or more'],
  [
    server({ certSANs: ['ok.example', 'https://x'] }),
    `${A}.certSANs[1]`,
    'an IP address, a DNS name',
  ],
  [server({ certSANs: ['*.*.example.com'] }), `${A}.certSANs[0]`, 'an IP address, a DNS name'],
  [server({ serviceSubnet: '10.96.0.0/33' }), `${A}.serviceSubnet`, 'a CIDR such as'],
  [
    server({ serviceSubnet: '10.96.0.0/12,10.97.0.0/16' }),
    `${A}.serviceSubnet`,
    'an IPv4 and an IPv6 CIDR',
  ],
  [server({ serviceType: 'X' as never }), `${A}.serviceType`, 'must be ClusterIP or NodePort'],
  [
    server({ serviceType: 'LoadBalancer', loadBalancerClass: 'a/b/c' }),
    `${A}.loadBalancerClass`,
    'optionally with a DNS prefix',
  ],
  [server({ externalEndpoint: 'https://a' }), `${A}.externalEndpoint`, 'optionally with a port'],
  [server({ extraArgs: { '--v': '4' } }), `${A}.extraArgs`, 'without leading dashes'],
  [server({ extraArgs: { 'v=4 --x': '' } }), `${A}.extraArgs`, 'without leading dashes'],
  [server({ featureGates: { 'A=true,B': true } }), `${A}.featureGates`, 'a feature gate'],
  [server({ serviceAnnotations: { 'a b': '' } }), `${A}.serviceAnnotations`, 'the key must be'],
  [
    { hostCluster: { secretRef: { name: 'host' } }, ...server({ serviceType: 'NodePort' }) },
    'spec.hostCluster.secretRef.namespace',
    'set the namespace',
  ],
  [
    { hostCluster: { networking: { dnsDomain: 'x\n- y' } } },
    'spec.hostCluster.networking.dnsDomain',
    'a DNS name',
  ],
  [
    { hostCluster: { apiEndpoint: 'ftp://a' } },
    'spec.hostCluster.apiEndpoint',
    'address of an API server',
  ],
  [
    { privateRegistry: { registry: 'https://registry.example' } },
    'spec.privateRegistry.registry',
    'without a scheme',
  ],
  [
    { imagePullSecrets: [{ name: 'fine' }, { name: 'Not_A_Name' }] },
    'spec.imagePullSecrets[1].name',
    'lowercase',
  ],
  [{ crdTarball: {} }, 'spec.crdTarball.httpSource', 'remove crdTarball'],
  [
    { crdTarball: { httpSource: { url: 'crds.tar.gz' } } },
    'spec.crdTarball.httpSource.url',
    'must be an http:// or https:// URL',
  ],
  [
    { crdTarball: { httpSource: { url: 'http://a b/' } } },
    'spec.crdTarball.httpSource.url',
    'must be an http:// or https:// URL',
  ],
  [
    { crdTarball: { httpSource: { url: 'http://a', proxy: { proxyURL: '' } } } },
    'spec.crdTarball.httpSource.proxy.proxyURL',
    'must be a proxy URL',
  ],
  ...['file:///crds.tar.gz', 'ftp://a/crds.tar.gz', '/crds.tar.gz'].map((url) =>
    refused({ httpSource: { url } }, 'httpSource.url', 'must be an http:// or https:// URL'),
  ),
  refused({ httpSource: { url: 'https://a', sha256: 'abc' } }, 'httpSource.sha256', '64'),
  refused({ httpSource: { url: 'https://a', caBundle: 'abc' } }, 'httpSource.caBundle', 'PEM'),
  refused(
    {
      httpSource: {
        url: 'https://a',
        caBundle: base64('-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n'),
      },
    },
    'httpSource.caBundle',
    'PEM',
  ),
  refused({ httpSource: { url: 'https://a' }, secretRef: { name: 'a' } }, 'secretRef', 'keep one'),
  refused({ configMapRef: { name: 'a' }, secretRef: { name: 'a' } }, 'secretRef', 'keep one'),
  refused({ configMapRef: {} }, 'configMapRef.name', 'set the name'),
  refused({ configMapRef: { name: 'A b' } }, 'configMapRef.name', 'DNS name'),
  refused({ secretRef: { name: 'a', key: '../b' } }, 'secretRef.key', 'a key of letters'),
  [
    { customCertificate: { apiServerCACert: { namespace: 'a' } } },
    'spec.customCertificate.apiServerCACert.name',
    'set the name',
  ],
  [
    { customCertificate: { leafCertValidityDays: 0 } },
    'spec.customCertificate.leafCertValidityDays',
    'must be 1 to',
  ],
  [
    { customCertificate: { leafCertValidityDays: 2147483647 } },
    'spec.customCertificate.leafCertValidityDays',
    'must be 1 to',
  ],
  [{ featureGates: { 'a b': true } }, 'spec.featureGates', 'a feature gate'],
  [webhook({ replicas: -1 }), `${W}.replicas`, 'must be 0 or more'],
  [webhook({ imageTag: 'v1 ; rm' }), `${W}.imageTag`, 'an image'],
  [webhook({ imageRepository: 'https://a/b' }), `${W}.imageRepository`, 'an image'],
  [
    webhook({ imagePullPolicy: 'never' as never }),
    `${W}.imagePullPolicy`,
    'Always or IfNotPresent or Never',
  ],
  [webhook({ labels: { 'a b': 'c' } }), `${W}.labels`, 'the key must be'],
  [webhook({ labels: { a: 'a: {b' } }), `${W}.labels["a"]`, 'a label value'],
  [
    webhook({ labels: { 'app.kubernetes.io/name': 'x' } }),
    `${W}.labels["app.kubernetes.io/name"]`,
    'part of the Pod selector',
  ],
  [
    webhook({ labels: { 'app.kubernetes.io/instance': 'x' } }),
    `${W}.labels["app.kubernetes.io/instance"]`,
    'part of the Pod selector',
  ],
  [
    webhook({ annotations: { 'operator.karmada.io/x': '' } }),
    `${W}.annotations`,
    'reserved for the operator',
  ],
  [webhook({ priorityClassName: 'A B' }), `${W}.priorityClassName`, 'a DNS name'],
  [
    webhook({ resources: { limits: { cpu: 'two' } } }),
    `${W}.resources.limits["cpu"]`,
    'a quantity',
  ],
  [
    webhook({ podDisruptionBudgetConfig: {} }),
    `${W}.podDisruptionBudgetConfig`,
    'either minAvailable or',
  ],
  [
    webhook({ podDisruptionBudgetConfig: { minAvailable: 1, maxUnavailable: 1 } }),
    `${W}.podDisruptionBudgetConfig`,
    'mutually exclusive',
  ],
  [
    webhook({ podDisruptionBudgetConfig: { minAvailable: 'half' } }),
    `${W}.podDisruptionBudgetConfig.minAvailable`,
    'a percentage',
  ],
  [
    { components: { kubeControllerManager: { controllers: ['a,b'] } } },
    `${C}.kubeControllerManager.controllers[0]`,
    'name of a controller',
  ],
  [
    { components: { karmadaSearch: { labels: { apiserver: 'false' } } } },
    `${C}.karmadaSearch.labels["apiserver"]`,
    'part of the Pod selector',
  ],
];

describe('validate', () => {
  it.each(ACCEPTED)('accepts %s', (_what, spec) => {
    expect(validate(karmadaOf(spec))).toEqual([]);
  });

  it.each(REFUSED.map(([spec, field, part]) => [JSON.stringify(spec), spec, field, part] as const))(
    'rejects %s',
    (_text, spec, field, part) => {
      const errors = validate(karmadaOf(spec));
      expect(errors.map((error) => error.field)).toEqual([field]);
      expect(errors[0]?.message).toContain(part);
    },
  );

  it.each([
    ['a'.repeat(34), true],
    ['a'.repeat(35), false],
    [`karmada${'a'.repeat(35)}`, true],
    [`karmada${'a'.repeat(36)}`, false],
    ['a.b', false],
    ['x\n- y', false],
    ['1st', true],
  ])('accepts name %j: %s', (name, accepted) => {
    const fields = validate(karmadaOf({}, name)).map((error) => error.field);
    expect(fields).toEqual(accepted ? [] : ['metadata.name']);
  });

  it('formats errors like the Go operator, without URLs', () => {
    const spec = {
      ...webhook({ replicas: -1 }),
      crdTarball: {
        httpSource: { url: '//user:secret@host', proxy: { proxyURL: 'user:secret @x' } },
      },
    };
    const message = formatErrors(validate(karmadaOf(spec)));
    expect(message).toBe(
      'validation errors: [spec.components.karmadaWebhook.replicas: Invalid value: "-1": must be 0 or more' +
        ' spec.crdTarball.httpSource.url: Invalid value: must be an http:// or https:// URL, such as https://example.com/crds.tar.gz' +
        ' spec.crdTarball.httpSource.proxy.proxyURL: Invalid value: must be a proxy URL with scheme http, https or socks5, such as http://proxy.example.com:3128]',
    );
    expect(message).not.toContain('secret');
  });

  it('shows 20 errors of a list and the number of the others', () => {
    const imagePullSecrets = Array.from({ length: 4_000 }, () => ({ name: '-' }));
    const spec = { ...webhook({ replicas: -1 }), imagePullSecrets };
    const message = formatErrors(validate(karmadaOf(spec)));
    expect(message.match(/Invalid value: "-"/g)).toHaveLength(20);
    expect(message).toContain('spec.components.karmadaWebhook.replicas: Invalid value: "-1"');
    expect(message).toContain('spec.imagePullSecrets[19].name: ');
    expect(message).toMatch(/ spec\.imagePullSecrets: and 3980 more\]$/);
  });

  it('truncates a long value in the message', () => {
    const [error] = validate(karmadaOf(webhook({ priorityClassName: 'X'.repeat(5000) })));
    expect(error?.message.length).toBeLessThan(300);
  });
});
