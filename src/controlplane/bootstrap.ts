/**
 * What `karmadactl register` needs to bring a cluster in by itself (pull mode). Nothing of it lets
 * anybody in without a bootstrap token, and the operator makes none: `karmadactl token create` does.
 */
import { dump } from 'js-yaml';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { caBundleField, ownLabels, type ControlPlaneInput } from './input.ts';

const API_GROUP = 'rbac.authorization.k8s.io';
const CSR_GROUP = 'certificates.k8s.io';
const PUBLIC_NAMESPACE = 'kube-public';
const CLUSTER_INFO = 'cluster-info';

/** Group of the tokens that `karmadactl token create` makes, and that of the agents. */
const TOKENS = subject('Group', 'system:bootstrappers:karmada:default-cluster-token');
const AGENTS = subject('Group', 'system:karmada:agents');
/** As whom `karmadactl register` gives an agent its rights, for the few seconds it takes. */
const GENERATOR = subject('User', 'system:karmada:agent:rbac-generator');
const ANYBODY = subject('User', 'system:anonymous');

interface Subject {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

function subject(kind: 'Group' | 'User', name: string): Subject {
  return { apiGroup: API_GROUP, kind, name };
}

/** The objects for registration; without an address for users just the roles. */
export function bootstrap(input: ControlPlaneInput): readonly KubernetesObject[] {
  const role = (name: string, rule: object): KubernetesObject => ({
    apiVersion: `${API_GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels: labels(input) },
    rules: [rule],
  });
  const binding = (name: string, of: string, to: Subject): KubernetesObject => ({
    apiVersion: `${API_GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: labels(input) },
    roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name: of },
    subjects: [to],
  });
  const may = (resource: string): object => ({
    apiGroups: [CSR_GROUP],
    resources: [`certificatesigningrequests/${resource}`],
    verbs: ['create'],
  });
  const [first, next, generator] = [
    'system:karmada:certificatesigningrequest:autoapprover',
    'system:karmada:certificatesigningrequest:selfautoapprover',
    'system:karmada:agent-rbac-generator',
  ];
  return [
    ...clusterInfo(input),
    ...clusterInfoReaders(input),
    binding('system:karmada:agent-bootstrap', 'system:node-bootstrapper', TOKENS),
    role(first, may('clusteragent')),
    binding('system:karmada:agent-autoapprove-bootstrap', first, TOKENS),
    role(next, may('selfclusteragent')),
    binding('system:karmada:agent-autoapprove-certificate-rotation', next, AGENTS),
    role(generator, { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }),
    binding(generator, generator, GENERATOR),
  ];
}

/**
 * Where the control plane is and whom to trust, for those who know nothing yet. kube-controller-manager
 * adds a signature for each token, by which a cluster that registers knows that it is genuine.
 */
function clusterInfo(input: ControlPlaneInput): readonly KubernetesObject[] {
  if (input.externalServer === undefined) return [];
  const cluster = {
    'certificate-authority-data': caBundleField(input),
    server: input.externalServer,
  };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: '', cluster }],
    contexts: [],
    'current-context': '',
    users: [],
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: CLUSTER_INFO, namespace: PUBLIC_NAMESPACE, labels: labels(input) },
      data: { kubeconfig: dump(kubeconfig, { lineWidth: -1 }) },
    },
  ];
}

function clusterInfoReaders(input: ControlPlaneInput): readonly KubernetesObject[] {
  const name = 'system:karmada:bootstrap-signer-clusterinfo';
  const metadata = { name, namespace: PUBLIC_NAMESPACE, labels: labels(input) };
  const rule = {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [CLUSTER_INFO],
    verbs: ['get'],
  };
  return [
    { apiVersion: `${API_GROUP}/v1`, kind: 'Role', metadata, rules: [rule] },
    {
      apiVersion: `${API_GROUP}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: API_GROUP, kind: 'Role', name },
      subjects: [ANYBODY],
    },
  ];
}

function labels(input: ControlPlaneInput): Readonly<Record<string, string>> {
  return { 'karmada.io/bootstrapping': 'rbac-defaults', ...ownLabels(input, 'karmada') };
}
