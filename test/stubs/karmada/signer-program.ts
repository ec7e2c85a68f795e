/** kube-controller-manager of control planes as a stub, which signs approved certificate requests with the CA that it mounts. */
import { randomBytes } from 'node:crypto';
import { INSTANCE } from '../../../src/api/labels.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { signedBy } from '../../../src/pki/x509.ts';
import type { StubApi } from '../api/stub-api.ts';
import type { ClusterView } from '../kubelet/cluster-view.ts';
import { after, every, mountedPair, type StubProgram } from '../kubelet/stub-program.ts';
import type { ServerPair } from '../network/tls-server.ts';
import type { KarmadaApi } from './karmada-api.ts';

interface SignerOptions {
  readonly view: ClusterView;
  readonly readyMs: number;
  /** @returns undefined before it was served */
  readonly apiOf: (namespace: string, instance: string) => KarmadaApi | undefined;
}

const REQUESTS = 'certificates.k8s.io/certificatesigningrequests';
const SIGNER = { volume: 'cluster-signing-cert', cert: 'signing-ca.crt', key: 'ca.key', ca: '' };

export const signerProgram =
  ({ view, readyMs, apiOf }: SignerOptions): StubProgram =>
  ({ pod, run }) => {
    const { namespace = '', labels = {} } = pod.metadata;
    every(run, readyMs, () => {
      const api = apiOf(namespace, labels[INSTANCE] ?? '')?.api;
      const found = api?.store.list(REQUESTS).find(isAwaited);
      if (api !== undefined && found !== undefined)
        void sign(api, found, mountedPair(view, pod, SIGNER));
    });
    after(run, readyMs, () => run.setReady(true));
    return Promise.resolve();
  };

function isAwaited(request: KubernetesObject): boolean {
  const { conditions = [], certificate } = (request['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string }[];
    readonly certificate?: string;
  };
  return certificate === undefined && conditions.some(({ type }) => type === 'Approved');
}

/** The key is not that of the request, which nobody uses. */
async function sign(
  api: StubApi,
  { apiVersion, metadata }: KubernetesObject,
  { cert, key }: ServerPair,
): Promise<void> {
  const certified = { subject: { commonName: 'stub' }, validityDays: 1 };
  const context = { now: new Date(), random: randomBytes };
  const signer = { certificate: cert, key };
  const { certificate } = await signedBy(signer, certified, await makeKey('ec-p256'), context);
  const status = { certificate: Buffer.from(certificate, 'utf8').toString('base64') };
  api.handle({
    method: 'PATCH',
    url: `/apis/${apiVersion}/certificatesigningrequests/${metadata.name}/status`,
    headers: {
      'user-agent': 'kube-controller-manager',
      'content-type': 'application/merge-patch+json',
    },
    body: JSON.stringify({ status }),
  });
}
