/** Requests a certificate from kube-controller-manager. Its private key is forgotten: only the signature counts. */
import { FIELD_MANAGER } from '../../api/karmada.ts';
import type { ActionOf } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isWritten } from '../../kubernetes/client/conditional-write.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import { PROBE_USER } from '../../pki/probe.ts';
import { signingRequest } from '../../pki/signing-request.ts';
import { SIGNER } from './signed-request.ts';

type Client = Pick<KubernetesClient, 'create' | 'patch' | 'delete'>;
type ControlPlane = { readonly client: Client } | undefined;

/** The shortest period of a certificate that the API permits, in seconds. */
const EXPIRES_SECONDS = 600;

const OPTIONS = { fieldManager: FIELD_MANAGER };

/**
 * Creates a request and approves it in one go. A request that was read is never approved: anyone who may create requests could
 * have chosen its name.
 * @returns fewer writes if there is another one
 */
export async function requestCertificate(
  { keys }: { readonly keys: KeyGenerator },
  controlPlane: ControlPlane,
  { name }: ActionOf<'requestCertificate'>,
): Promise<Done> {
  if (controlPlane === undefined) return {};
  const { client } = controlPlane;
  const request = await signingRequest(PROBE_USER, await keys.generate('ec-p256'));
  try {
    const { metadata } = await client.create(requestOf(name, request), OPTIONS);
    const { uid, resourceVersion } = metadata;
    const patch = { metadata: { uid, resourceVersion }, status: { conditions: [APPROVED] } };
    const options = { ...OPTIONS, subresource: 'approval' };
    await client.patch(resources.CertificateSigningRequest, { name }, patch, options);
  } catch (error) {
    if (isStatus(error, 409)) return {};
    throw error;
  }
  return { writes: 2 };
}

const requestOf = (name: string, request: string) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: {
    request: Buffer.from(request, 'utf8').toString('base64'),
    signerName: SIGNER,
    expirationSeconds: EXPIRES_SECONDS,
    usages: ['digital signature', 'client auth'],
  },
});

const APPROVED = {
  type: 'Approved',
  status: 'True',
  reason: 'Rotation',
  message: 'the operator looks with which CA certificates are signed',
};

/** Deletes the request that was read. */
export async function deleteRequest(
  controlPlane: ControlPlane,
  { request: { metadata } }: ActionOf<'deleteRequest'>,
): Promise<Done> {
  if (controlPlane === undefined) return {};
  const { name, uid, resourceVersion } = metadata;
  const precondition = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const type = resources.CertificateSigningRequest;
  return (await isWritten(controlPlane.client.delete(type, { name }, precondition)))
    ? { writes: 1 }
    : {};
}

/** Deletes requests that no phase needs any more. */
export async function deleteRequests(
  controlPlane: { readonly client: Pick<Client, 'delete'> } | undefined,
  names: readonly string[],
): Promise<void> {
  if (controlPlane === undefined) return;
  for (const name of names)
    await isWritten(controlPlane.client.delete(resources.CertificateSigningRequest, { name }, {}));
}
