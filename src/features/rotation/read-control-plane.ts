/** Reads from a control plane what shows who uses its CA `ca`, besides what its Pods show. */
import { INSTANCE, MANAGED_BY, MANAGER } from '../../api/labels.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { reducedTo } from '../../kubernetes/informers/reduced-list.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import type { AuthorityFacts } from './facts.ts';
import { readClusterInfo } from './read-shared-trust.ts';
import type { Rotation } from './record.ts';
import { requestOfPhase, type SeenRequest } from './signed-request.ts';
import {
  reducedToBundles,
  trustedBy,
  UNREAD_OBJECTS,
  type TrustingObject,
} from './trusting-objects.ts';

type Client = Pick<KubernetesClient, 'find' | 'list'>;

/** What was read. */
export interface ControlPlaneFacts {
  readonly objects: AuthorityFacts['objects'];
  /** Absent if no request is needed, or if it could not be read. */
  readonly request?: SeenRequest;
}

interface Reading {
  /** Absent while the control plane is not ready. */
  readonly client: Client | undefined;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** `metadata.name` of the Karmada. */
  readonly karmada: string;
}

/** Kinds of objects with CAs that the operator writes. */
const KINDS: readonly ResourceType[] = [
  resources.ValidatingWebhookConfiguration,
  resources.MutatingWebhookConfiguration,
  resources.APIService,
  resources.CustomResourceDefinition,
];

/** CRDs of Karmada have up to 300 KiB. */
const PAGE = 20;

/** Reads the objects that name CAs, and the certificate request of the phase. @throws ApiError, NetworkError */
export async function readControlPlane(
  { client, clock, karmada }: Reading,
  rotation: Rotation,
): Promise<ControlPlaneFacts> {
  if (client === undefined) return { objects: UNREAD_OBJECTS };
  const observedAt = clock.monotonic();
  const { name } = requestOfPhase(rotation) ?? {};
  const [objects, request] = await Promise.all([
    readTrusting(client, karmada),
    name === undefined ? undefined : readRequest(client, name),
  ]);
  return {
    objects: trustedBy(objects, observedAt),
    ...(request && { request: { ...request, observedAt } }),
  };
}

async function readTrusting(client: Client, karmada: string): Promise<readonly TrustingObject[]> {
  const labelSelector = `${MANAGED_BY}=${MANAGER},${INSTANCE}=${karmada}`;
  const options = { labelSelector, pageSize: PAGE, ...reducedTo(reducedToBundles) };
  const [info, ...lists] = await Promise.all([
    readClusterInfo(client),
    ...KINDS.map((kind) => client.list(kind, options)),
  ]);
  const listed = lists.flatMap(({ items }) => items).filter(isTrusting);
  const published = info && reducedToBundles(info);
  return [...listed, ...(published ? [published] : [])];
}

/** Lists contain only what `reducedToBundles` has made. */
const isTrusting = (object: KubernetesObject): object is TrustingObject =>
  Array.isArray(object['bundles']);

async function readRequest(client: Client, name: string): Promise<Pick<SeenRequest, 'request'>> {
  const request = await client.find(resources.CertificateSigningRequest, { name });
  return request === undefined ? {} : { request };
}
