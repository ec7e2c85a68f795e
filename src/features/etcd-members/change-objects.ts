/** Executes changes of Pods and PVCs of etcd members. */
import { JOIN_ANNOTATION } from '../../components/etcd/join.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isWritten } from '../../kubernetes/client/conditional-write.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdRecordOf } from '../etcd-bootstrap/bootstrap.ts';
import {
  CLAIM_ANNOTATION,
  NOTES_FIELD_MANAGER,
  type ClaimAnnotation,
} from '../../etcd-cluster/identity/record.ts';
import { JOINED_ANNOTATION } from './pod-facts.ts';
import type { MemberClaim, MemberPod } from '../../etcd-cluster/members/facts.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';

type Client = Pick<KubernetesClient, 'patch' | 'delete'>;

/**
 * Changes Pods or PVCs.
 * @returns whether the objects were changed; false if they have changed since; undefined if the step is no change of
 *   objects
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function changeObjects(
  client: Client,
  step: MemberStep,
  snapshot: Snapshot,
): Promise<boolean | undefined> {
  const { namespace = '' } = snapshot.karmada.metadata;
  const at = { client, namespace };
  switch (step.kind) {
    case 'allowJoin':
      // From now on the PVC may have data of this cluster.
      if (step.claim && !(await annotateJoining(at, snapshot, step))) return false;
      return annotate(at, step.pod, { [JOIN_ANNOTATION]: step.join });
    case 'endJoin':
      return annotate(at, step.pod, { [JOIN_ANNOTATION]: null, [JOINED_ANNOTATION]: 'true' });
    case 'recreate':
      if (step.claim && !(await remove(at, resources.PersistentVolumeClaim, step.claim)))
        return false;
      return remove(at, resources.Pod, step.pod);
    case 'deleteClaim':
      return remove(at, resources.PersistentVolumeClaim, step.claim);
    default:
      return undefined;
  }
}

interface Place {
  readonly client: Client;
  readonly namespace: string;
}

/**
 * Annotates the PVC of a member that joins with the cluster that its data will belong to.
 * @returns true without a write if it has the annotation, as after a crash of the operator
 */
async function annotateJoining(
  at: Place,
  snapshot: Snapshot,
  { claim, members }: Extract<MemberStep, { kind: 'allowJoin' }>,
): Promise<boolean> {
  const record = etcdRecordOf(snapshot);
  if (claim === undefined || record?.clusterID === undefined) return false;
  const { clusterID, token, ca } = record;
  const stamp: ClaimAnnotation = { clusterID, token, ordinal: claim.ordinal, members, ca };
  const annotations = { [CLAIM_ANNOTATION]: JSON.stringify(stamp) };
  const isAnnotated = snapshot.host.claims.some(
    ({ metadata }) =>
      metadata.uid === claim.uid &&
      metadata.annotations?.[CLAIM_ANNOTATION] === annotations[CLAIM_ANNOTATION],
  );
  return isAnnotated || patch(at, resources.PersistentVolumeClaim, claim, annotations);
}

const annotate = (at: Place, pod: MemberPod, annotations: Annotations): Promise<boolean> =>
  patch(at, resources.Pod, pod, annotations);

type Annotations = Readonly<Record<string, string | null>>;

/** @returns false if the object was deleted, or recreated with another UID */
function patch(
  { client, namespace }: Place,
  type: ResourceType,
  { name, uid }: MemberPod | MemberClaim,
  annotations: Annotations,
): Promise<boolean> {
  const options = { fieldManager: NOTES_FIELD_MANAGER };
  const metadata = { uid, annotations };
  return isWritten(client.patch(type, { namespace, name }, { metadata }, options));
}

/** @returns false if the object was deleted, or recreated with another UID */
function remove(
  { client, namespace }: Place,
  type: ResourceType,
  { name, uid }: MemberPod | MemberClaim,
): Promise<boolean> {
  return isWritten(client.delete(type, { namespace, name }, { uid }));
}
