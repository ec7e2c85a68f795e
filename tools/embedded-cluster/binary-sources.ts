import { karmadaReleases, kubernetesReleases } from './releases.ts';

/** Build parameters of one executable from a Go module below `go/`. */
export interface BinarySource {
  module: string;
  package: string;
  /** Module file in the folder of the module; defaults to go.mod. */
  modfile?: string;
  /** Linker flags `-X`: variable to text. */
  values?: Readonly<Record<string, string>>;
  /** Build tags that the Go project itself uses. */
  tags?: string;
}

function kubernetesVersion(version: string): Record<string, string> {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const variable = 'k8s.io/component-base/version';
  return {
    [`${variable}.gitVersion`]: version,
    [`${variable}.gitMajor`]: major,
    [`${variable}.gitMinor`]: minor,
  };
}

function karmadaVersion(version: string): Record<string, string> {
  return { 'github.com/karmada-io/karmada/pkg/version.gitVersion': version };
}

/**
 * Since Kubernetes 1.35 libraries, estimators of Karmada cannot encode their messages without this tag. CoreDNS,
 * Kubernetes and Karmada have the same tag and the same versions of shared modules: their packages are compiled once.
 */
const estimatorTag = 'kubernetes_protomessage_one_more_release';

/** Executables for the embedded cluster, its images and the integration tests. */
export const sources = {
  pause: { module: 'pause', package: '.' },
  etcd: { module: 'etcd', package: '.' },
  'etcd-previous': { module: 'etcd-previous', package: '.' },
  coredns: { module: 'coredns', package: '.', tags: estimatorTag },
  helm: {
    module: 'helm',
    package: 'helm.sh/helm/v3/cmd/helm',
    values: { 'helm.sh/helm/v3/internal/version.version': 'v3.19.0' },
  },
  krew: { module: 'krew', package: 'sigs.k8s.io/krew/cmd/krew' },
  'krew-validator': { module: 'krew', package: 'sigs.k8s.io/krew/cmd/validate-krew-manifest' },
  cfssl: { module: 'cfssl', package: 'github.com/cloudflare/cfssl/cmd/cfssl' },
  cfssljson: { module: 'cfssl', package: 'github.com/cloudflare/cfssl/cmd/cfssljson' },
  registry: { module: 'registry', package: '.' },
  rclone: { module: 'rclone', package: '.' },
  'kube-router': { module: 'kube-router', package: '.' },
  versitygw: { module: 'versitygw', package: 'github.com/versity/versitygw/cmd/versitygw' },
  traefik: { module: 'traefik', package: '.' },
  // Its go.mod requires Go 1.26.
  prometheus: {
    module: 'prometheus',
    package: 'github.com/prometheus/prometheus/cmd/prometheus',
    // Without the service discovery of clouds the build takes half the time.
    tags: 'remove_all_sd,enable_kubernetes_sd',
  },
  'crd-cost': { module: 'crd-cost', package: '.' },
  'gitops-health': { module: 'gitops-health', package: '.' },
  kubernetes: {
    module: 'kubernetes',
    package: '.',
    values: kubernetesVersion(kubernetesReleases.current),
    tags: estimatorTag,
  },
  'kubernetes-previous': {
    module: 'kubernetes-previous',
    package: '.',
    values: kubernetesVersion(kubernetesReleases.previous),
  },
  karmada: {
    module: 'karmada',
    package: '.',
    values: karmadaVersion(karmadaReleases.current),
    tags: estimatorTag,
  },
  'karmada-previous': {
    module: 'karmada',
    package: '.',
    modfile: `${karmadaReleases.previous}.mod`,
    values: karmadaVersion(karmadaReleases.previous),
    tags: estimatorTag,
  },
  'karmada-oldest': {
    module: 'karmada',
    package: '.',
    modfile: `${karmadaReleases.oldest}.mod`,
    values: karmadaVersion(karmadaReleases.oldest),
  },
} satisfies Record<string, BinarySource>;

/** Names of the executables. */
export type BinaryName = keyof typeof sources;
