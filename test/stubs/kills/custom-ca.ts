/** CAs that a user provides in a Secret of another namespace, for control planes of stubs. */
import { randomBytes } from 'node:crypto';
import type { KarmadaSpec } from '../../../src/api/karmada.ts';
import { ALLOWED_NAMESPACES_ANNOTATION } from '../../../src/api/secrets/secret-grant.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import type { KeyPair } from '../../../src/pki/types.ts';
import { DAY, selfSigned } from '../../../src/pki/x509.ts';
import { hashesIn } from '../karmada/client-trust.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { install, NAMESPACE, type Scenario, type Step } from './scenario.ts';

const SECRET = { namespace: 'authorities', name: 'example-ca' };
const SPEC = { customCertificate: { apiServerCACert: SECRET } };

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Content of the Secret. @param signer whose private key it has @param others further certificates */
const dataOf = (signer: KeyPair, ...others: readonly KeyPair[]) => ({
  'tls.crt': base64([signer, ...others].map(({ certificate }) => certificate).join('')),
  'tls.key': base64(signer.key),
});

/** Both CAs of a user have the same name, as those of cert-manager. */
const issued = async (daysAgo: number): Promise<KeyPair> => {
  const now = new Date(Date.now() - daysAgo * DAY);
  return selfSigned('Example CA', await makeKey('ec-p256'), { now, random: randomBytes });
};

const stored = (pair: KeyPair): Step => ({
  async change({ client }) {
    const kind = { apiVersion: 'v1', kind: 'Namespace' };
    await client.create({ ...kind, metadata: { name: SECRET.namespace } });
    const annotations = { [ALLOWED_NAMESPACES_ANNOTATION]: NAMESPACE };
    const metadata = { ...SECRET, annotations };
    await client.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: dataOf(pair) });
  },
  isDone: () => Promise.resolve(true),
  seen: () => Promise.resolve('the Secret of the custom CA'),
});

type Change = (cluster: StubCluster) => Promise<unknown>;

interface CustomCas {
  /** A control plane with the first one. */
  readonly first: (spec: KarmadaSpec) => Scenario;
  /** What its spec has in addition. */
  readonly spec: KarmadaSpec;
  /** SHA-256 of the certificates. */
  readonly roots: readonly string[];
  readonly append: Change;
  readonly swap: Change;
  /** Certificate and private key at once, as cert-manager does. */
  readonly replace: Change;
}

/** Creates two CAs. */
export async function customCa(): Promise<CustomCas> {
  const [former, next] = await Promise.all([issued(2), issued(1)]);
  const patched = (data: object) => async (cluster: StubCluster) =>
    cluster.client.patch(resources.Secret, SECRET, { data });
  return {
    first: (spec: KarmadaSpec): Scenario => ({
      title: 'a rotation to a custom CA',
      before: [stored(former), install({ ...spec, ...SPEC })],
      steps: [],
    }),
    spec: SPEC,
    roots: [former, next].map(({ certificate }) => hashesIn(certificate)[0] ?? ''),
    append: patched(dataOf(former, next)),
    swap: patched(dataOf(next, former)),
    replace: patched(dataOf(next)),
  };
}
