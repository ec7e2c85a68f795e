/** CAs in a control plane of stubs. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import { hashesIn, isIssuedBy, publishedTrust } from '../karmada/client-trust.ts';
import type { StubApi } from '../api/stub-api.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { NAMESPACE as namespace } from './scenario.ts';
import { findSecret, rotationsIn, textOf, type Watched } from './rotation-steps.ts';

/** CAs that the operator rotates. */
type RotatedCa = 'ca' | 'front-proxy-ca' | 'etcd-ca';

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

/** What is wrong at the moment. */
async function faultsOf(cluster: StubCluster, ca: RotatedCa): Promise<readonly string[]> {
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
    ...(trusted.length > 1 ? [] : ['one CA is trusted alone']),
    ...refused.flat(),
  ];
}

/** Watches a CA. @param faults receives what is wrong */
export const watchCa = (ca: RotatedCa, faults: Set<string>): Watched => ({
  faults,
  faultsOf: (cluster) => faultsOf(cluster, ca),
});
