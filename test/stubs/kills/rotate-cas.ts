/** CAs in a control plane of stubs. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import { blocksIn, hashesIn, isIssuedBy, publishedTrust } from '../karmada/client-trust.ts';
import type { StubApi } from '../api/stub-api.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { NAMESPACE as namespace } from './scenario.ts';
import { findSecret, rotationsIn, textOf, type Watched } from './rotation-steps.ts';

/** CAs that the operator rotates. */
export type RotatedCa = 'ca' | 'front-proxy-ca' | 'etcd-ca';

/** What the Secrets and the ConfigMap have of the CA, as SHA-256 of certificates. */
interface StoredCa {
  readonly signs: string;
  readonly trusted: readonly string[];
  /** CAs whose private key the CA backup Secret has. */
  readonly saved: readonly string[];
  /** CAs that servers accept which do not read the Secrets: aggregated API servers, or running etcd members. */
  readonly published: readonly (readonly string[])[];
  /** Keys of the CA backup Secret that are about the CA. */
  readonly places: readonly string[];
  readonly rotations: number;
}

/** Returns how a CA is read. */
export const storedCa =
  (ca: RotatedCa) =>
  async (cluster: StubCluster): Promise<StoredCa> => {
    const [used, saved] = await Promise.all([
      findSecret(cluster, 'cert'),
      findSecret(cluster, 'ca-backup'),
    ]);
    const own = signer(textOf(used, `${ca}.crt`), textOf(used, `${ca}.key`));
    const pairs = [ca, `${ca}-successor`, `${ca}-retired`].flatMap(
      (place) => signer(textOf(saved, `${place}.crt`), textOf(saved, `${place}.key`)) ?? [],
    );
    return {
      signs: own ?? '',
      trusted: hashesIn(textOf(used, `${ca}.crt`)),
      saved: [...new Set(pairs)].sort(),
      published: ACCEPTED[ca](cluster).map((bundle) => [...hashesIn(bundle)].sort()),
      places: Object.keys((saved?.['data'] ?? {}) as object)
        .filter((key) => key.startsWith(ca) && key !== CROSS)
        .sort(),
      rotations: rotationsIn(saved),
    };
  };

/** CAs certified by their predecessors, which outlive a rotation. */
const CROSS = 'ca-cross.crt';

const WEBHOOKS = 'admissionregistration.k8s.io/validatingwebhookconfigurations';

/** Bundles of the webhook configurations of a control plane, PEM. */
const webhookBundles = ({ store }: Pick<StubApi, 'store'>): readonly string[] =>
  store.list(WEBHOOKS).flatMap((object) => {
    const { webhooks = [] } = object as {
      readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle: string } }[];
    };
    return webhooks.map(({ clientConfig }) =>
      Buffer.from(clientConfig.caBundle, 'base64').toString('utf8'),
    );
  });

/** Bundles that servers accept which do not read the Secrets, PEM. */
const ACCEPTED: Readonly<Record<RotatedCa, (cluster: StubCluster) => readonly string[]>> = {
  ca: (cluster) => {
    const api = cluster.karmadaApi(namespace, name);
    return api === undefined ? [] : [publishedTrust(api).clients, ...webhookBundles(api)];
  },
  'front-proxy-ca': (cluster) => {
    const api = cluster.karmadaApi(namespace, name);
    return api === undefined ? [] : [publishedTrust(api).frontProxies];
  },
  'etcd-ca': ({ etcdTrust: { members, clients } }) => [...members, ...clients],
};

/** The certificate of a bundle to which a private key belongs. */
function signer(bundle: string, key: string): string | undefined {
  if (key === '') return undefined;
  const blocks = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  const own = blocks.find((pem) => new X509Certificate(pem).checkPrivateKey(createPrivateKey(key)));
  return own && hashesIn(own)[0];
}

/** Certificates that running servers and clients present to each other, by the Secret that has them. */
const PRESENTED: Readonly<Record<RotatedCa, readonly (readonly [string, string])[]>> = {
  ca: [
    ['cert', 'apiserver.crt'],
    ['webhook-cert', 'tls.crt'],
    ['aggregated-apiserver-cert', 'tls.crt'],
    ['scheduler-config', 'tls.crt'],
  ],
  'front-proxy-ca': [['cert', 'front-proxy-client.crt']],
  'etcd-ca': [
    ['cert', 'etcd-client.crt'],
    ['etcd-cert', 'etcd-server.crt'],
    ['etcd-cert', 'etcd-peer.crt'],
  ],
};

/** Whether the first certificate of a file leads to a CA, by the others of the file. */
function leadsTo(file: string, root: string): boolean {
  const [leaf, ...others] = blocksIn(file);
  const isOwn = leaf !== undefined && isIssuedBy(new X509Certificate(leaf), root);
  if (leaf === undefined || isOwn) return isOwn;
  return others.some(
    (pem, index) =>
      isIssuedBy(new X509Certificate(leaf), pem) &&
      leadsTo([pem, ...others.toSpliced(index, 1)].join('\n'), root),
  );
}

/** What is wrong at the moment for a client that has only a copy of the first CA. */
async function faultsOfCopies(cluster: StubCluster, first: string): Promise<readonly string[]> {
  const served = textOf(await findSecret(cluster, 'cert'), 'apiserver.crt');
  return leadsTo(served, first)
    ? []
    : ['a client with a copy of the first CA refuses apiserver.crt'];
}

/** What is wrong at the moment. @param least number of CAs that are trusted at any time */
async function faultsOf(
  cluster: StubCluster,
  ca: RotatedCa,
  least: number,
): Promise<readonly string[]> {
  const { signs, trusted, saved } = await storedCa(ca)(cluster);
  const bundle = textOf(await findSecret(cluster, 'cert'), `${ca}.crt`);
  const refused = await Promise.all(
    PRESENTED[ca].map(async ([suffix, key]) => {
      const leaf = new X509Certificate(textOf(await findSecret(cluster, suffix), key));
      const isAccepted = [bundle, ...ACCEPTED[ca](cluster)].every((one) => isIssuedBy(leaf, one));
      return isAccepted ? [] : [`${key} is refused`];
    }),
  );
  return [
    ...(trusted.includes(signs) ? [] : ['the CA that signs is not trusted']),
    ...(saved.includes(signs) ? [] : ['the private key that signs is not in the CA backup Secret']),
    ...(trusted.length >= least ? [] : ['one CA is trusted alone']),
    ...refused.flat(),
    ...(hasQuorum(cluster) ? [] : ['etcd has no quorum']),
  ];
}

/** A single member has none while it restarts. */
function hasQuorum(cluster: StubCluster): boolean {
  const etcd = cluster.etcdCluster(namespace, name);
  return etcd === undefined || etcd.members.length === 1 || etcd.hasQuorum;
}

/** Watches a CA. @param faults receives what is wrong @param least see `faultsOf`: a custom CA has no successor */
export function watchCa(ca: RotatedCa, faults: Set<string>, least = 2): Watched {
  let first: string | undefined;
  return {
    faults,
    async faultsOf(cluster) {
      const found = await faultsOf(cluster, ca, least);
      if (ca !== 'ca') return found;
      first ??= blocksIn(textOf(await findSecret(cluster, 'cert'), 'ca.crt'))[0] ?? '';
      return [...found, ...(await faultsOfCopies(cluster, first))];
    },
  };
}
