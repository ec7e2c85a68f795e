/**
 * Renders the objects that `karmadactl register` needs to register a member cluster in pull mode.
 * These objects alone give no access: registration requires a bootstrap token. The operator creates no
 * tokens; users create them with `karmadactl token create`.
 */
import { dump } from 'js-yaml';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { caBundleField, ownLabels, type ControlPlaneInput } from './input.ts';

const API_GROUP = 'rbac.authorization.k8s.io';
const CSR_GROUP = 'certificates.k8s.io';
const PUBLIC_NAMESPACE = 'kube-public';
const CLUSTER_INFO = 'cluster-info';
const REGISTRATION_LABEL = 'karmada.io/bootstrapping';

/** Groups of the tokens that `karmadactl token create` creates, and of the agents. */
const TOKENS = subject('Group', 'system:bootstrappers:karmada:default-cluster-token');
const AGENTS = subject('Group', 'system:karmada:agents');
/** User that `karmadactl register` uses for a short time to create the RBAC objects of an agent. */
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

/** Renders the objects for registration. Without an external address it renders only the RBAC objects. */
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
 * Renders the ConfigMap with address and CA of the control plane for unauthenticated clients.
 * kube-controller-manager adds a signature per token, with which a registering cluster verifies it.
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
  return { [REGISTRATION_LABEL]: 'rbac-defaults', ...ownLabels(input, 'karmada') };
}

/** Whether a rendered object is one of those for registration. */
export const isForRegistration = ({ metadata: { labels = {} } }: KubernetesObject): boolean =>
  REGISTRATION_LABEL in labels;
