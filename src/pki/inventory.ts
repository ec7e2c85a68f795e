/**
 * Table of all certificates: CA, subject, Secrets, consumers and their reload behavior. Issuing, renewal,
 * Secrets, restarts and status are derived from it.
 */
import { CATALOG } from '../api/component-catalog.ts';
import { componentSubjects, MASTERS_GROUP } from '../api/identities.ts';
import {
  adminSans,
  apiServerSans,
  etcdPeerSans,
  etcdServerSans,
  noSans,
  servingSans,
} from './sans.ts';
import type { AuthoritySpec, Consumer, LeafSpec, PairLocation, Use } from './specs.ts';
import { SERVING_COMPONENTS } from './types.ts';
import type { ClientComponent, PkiInputs, SecretRole, ServingComponent } from './types.ts';

const always = (): boolean => true;
const localEtcd = (inputs: PkiInputs): boolean => inputs.etcd === 'local';

/** Returns a predicate for whether an optional component is installed. */
const installed =
  (component: ClientComponent | ServingComponent) =>
  ({ addons }: PkiInputs): boolean => {
    const installations: Readonly<Partial<Record<string, boolean>>> = addons;
    return installations[component] ?? true;
  };

const pairIn = (secret: SecretRole, name: string): PairLocation => ({
  secret,
  certificate: `${name}.crt`,
  key: `${name}.key`,
});

export const CLIENT_COMPONENTS: readonly ClientComponent[] = CATALOG.flatMap((row) =>
  row.kubeconfig ? [row.suffix] : [],
);

const ETCD_CLIENTS: readonly Consumer[] = ['apiserver', 'aggregated-apiserver', 'search'];

const servingLeaf = (component: ServingComponent): LeafSpec => ({
  name: `${component}-serving`,
  signer: 'ca',
  subject: { commonName: `karmada-${component}` },
  usages: ['serverAuth'],
  sans: (inputs) => servingSans(inputs, component),
  wanted: installed(component),
  stored: [pairIn(`${component}-cert`, 'tls')],
  uses: [
    {
      component,
      as: 'serving certificate',
      // Estimators read it only at start. All others watch the files.
      reload: component === 'scheduler-estimator' ? 'restart' : 'dynamic',
    },
  ],
});

const clientLeaf = (component: ClientComponent): LeafSpec => ({
  name: `${component}-client`,
  signer: 'ca',
  ...componentSubjects(component),
  usages: ['clientAuth'],
  sans: noSans,
  wanted: installed(component),
  stored: [pairIn(`${component}-config`, 'tls')],
  uses: [{ component, as: 'client certificate of its kubeconfig', reload: 'file-poll' }],
});

const toEstimators = { as: 'client certificate for estimators', reload: 'restart' } as const;
const ESTIMATOR_CLIENTS: readonly Use[] = [
  { component: 'scheduler', ...toEstimators },
  { component: 'descheduler', ...toEstimators },
];

export const LEAVES: readonly LeafSpec[] = [
  {
    name: 'karmada',
    signer: 'ca',
    subject: { commonName: 'system:admin', organization: MASTERS_GROUP },
    usages: ['serverAuth', 'clientAuth'],
    sans: adminSans,
    wanted: always,
    stored: [pairIn('cert', 'karmada')],
    uses: ESTIMATOR_CLIENTS.map((use) => ({ ...use, isFormer: true })),
  },
  {
    // Estimators accept each certificate of the CA. Without an organization, it has no permission in the Karmada API.
    name: 'estimator-client',
    signer: 'ca',
    subject: { commonName: 'karmada-estimator-client' },
    usages: ['clientAuth'],
    sans: noSans,
    wanted: always,
    stored: [pairIn('estimator-client', 'tls')],
    uses: ESTIMATOR_CLIENTS,
  },
  {
    name: 'apiserver',
    signer: 'ca',
    subject: { commonName: 'karmada-apiserver' },
    usages: ['serverAuth'],
    sans: apiServerSans,
    wanted: always,
    stored: [pairIn('cert', 'apiserver')],
    uses: [{ component: 'apiserver', as: 'serving certificate', reload: 'dynamic' }],
    isChained: true,
  },
  {
    name: 'front-proxy-client',
    signer: 'front-proxy-ca',
    subject: { commonName: 'front-proxy-client' },
    usages: ['clientAuth'],
    sans: noSans,
    wanted: always,
    stored: [pairIn('cert', 'front-proxy-client')],
    uses: [
      { component: 'apiserver', as: 'client certificate of the aggregator', reload: 'dynamic' },
    ],
  },
  {
    name: 'etcd-server',
    signer: 'etcd-ca',
    subject: { commonName: 'karmada-etcd-server' },
    // clientAuth, because the gRPC gateway of etcd connects to its own server with this certificate.
    usages: ['serverAuth', 'clientAuth'],
    sans: etcdServerSans,
    wanted: localEtcd,
    // First the Secret that is written first: after an interruption, the new one counts.
    stored: [pairIn('cert', 'etcd-server'), pairIn('etcd-cert', 'etcd-server')],
    uses: [{ component: 'etcd', as: 'serving certificate', reload: 'handshake' }],
  },
  {
    name: 'etcd-peer',
    signer: 'etcd-ca',
    subject: { commonName: 'karmada-etcd-peer' },
    usages: ['serverAuth', 'clientAuth'],
    sans: etcdPeerSans,
    wanted: localEtcd,
    stored: [pairIn('etcd-cert', 'etcd-peer')],
    uses: [{ component: 'etcd', as: 'certificate between members', reload: 'handshake' }],
  },
  {
    name: 'etcd-client',
    signer: 'etcd-ca',
    subject: { commonName: 'karmada-etcd-client' },
    usages: ['clientAuth'],
    sans: noSans,
    wanted: localEtcd,
    stored: [pairIn('cert', 'etcd-client'), pairIn('etcd-cert', 'etcd-client')],
    uses: ETCD_CLIENTS.map((component) => ({
      component,
      as: 'client certificate for etcd',
      reload: 'handshake',
    })),
  },
  {
    name: 'admin-client',
    signer: 'ca',
    subject: { commonName: 'system:admin', organization: MASTERS_GROUP },
    usages: ['clientAuth'],
    sans: noSans,
    wanted: always,
    stored: [],
    uses: [{ component: 'users', as: 'admin kubeconfig', reload: 'never' }],
  },
  {
    // Without an organization: its only permissions are those that `src/controlplane/rbac.ts` grants.
    name: 'metrics-client',
    signer: 'ca',
    subject: { commonName: 'system:karmada:metrics' },
    usages: ['clientAuth'],
    sans: noSans,
    wanted: ({ metricsClient }) => metricsClient,
    stored: [pairIn('metrics-client', 'tls')],
    uses: [{ component: 'users', as: 'client certificate of Prometheus', reload: 'handshake' }],
  },
  ...SERVING_COMPONENTS.map(servingLeaf),
  ...CLIENT_COMPONENTS.map(clientLeaf),
];

const kubeconfigTrust = (component: ClientComponent): Use => ({
  component,
  as: 'CA of its kubeconfig',
  reload: 'restart',
});

export const AUTHORITIES: readonly AuthoritySpec[] = [
  {
    name: 'ca',
    commonName: 'karmada',
    wanted: always,
    stored: [pairIn('cert', 'ca'), pairIn('ca-backup', 'ca')],
    uses: [
      { component: 'apiserver', as: 'client CA', reload: 'dynamic' },
      { component: 'kube-controller-manager', as: 'client CA', reload: 'dynamic' },
      { component: 'kube-controller-manager', as: 'signer of requests', reload: 'dynamic' },
      { component: 'kube-controller-manager', as: 'root CA', reload: 'restart' },
      { component: 'metrics-adapter', as: 'client CA', reload: 'dynamic' },
      { component: 'scheduler', as: 'CA of estimators', reload: 'restart' },
      { component: 'descheduler', as: 'CA of estimators', reload: 'restart' },
      { component: 'scheduler-estimator', as: 'client CA', reload: 'restart' },
      { component: 'users', as: 'CA of the admin kubeconfig', reload: 'never' },
      ...CLIENT_COMPONENTS.map(kubeconfigTrust),
    ],
  },
  {
    name: 'etcd-ca',
    commonName: 'karmada-etcd-ca',
    wanted: localEtcd,
    stored: [
      pairIn('cert', 'etcd-ca'),
      pairIn('ca-backup', 'etcd-ca'),
      pairIn('etcd-cert', 'etcd-ca'),
    ],
    uses: [
      { component: 'etcd', as: 'client and peer CA', reload: 'restart' },
      ...ETCD_CLIENTS.map((component) => ({
        component,
        as: 'CA of etcd',
        reload: 'restart' as const,
      })),
    ],
  },
  {
    name: 'front-proxy-ca',
    commonName: 'front-proxy-ca',
    wanted: always,
    stored: [pairIn('cert', 'front-proxy-ca'), pairIn('ca-backup', 'front-proxy-ca')],
    uses: [{ component: 'apiserver', as: 'request header CA', reload: 'dynamic' }],
  },
];

/** Consumers of the ServiceAccount keys. All of them read the keys only at start. */
export const SERVICE_ACCOUNT_USES: readonly Use[] = [
  { component: 'apiserver', as: 'signing and verification keys', reload: 'restart' },
  { component: 'kube-controller-manager', as: 'signing key', reload: 'restart' },
];

/** Returns the leaf certificates that a control plane needs. */
export const wantedLeaves = (inputs: PkiInputs): readonly LeafSpec[] =>
  LEAVES.filter((leaf) => leaf.wanted(inputs));

/** Returns the CAs that a control plane needs. */
export const wantedAuthorities = (inputs: PkiInputs): readonly AuthoritySpec[] =>
  AUTHORITIES.filter((authority) => authority.wanted(inputs));
