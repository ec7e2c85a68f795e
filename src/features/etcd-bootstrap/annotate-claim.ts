import type { Log } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { AnnotateClaim } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import { CLAIM_ANNOTATION, NOTES_FIELD_MANAGER } from '../../etcd-cluster/identity/record.ts';

/**
 * Annotates a PVC with the etcd cluster and member that its data belongs to. Never rejects: a PVC without the
 * annotation counts as unknown, so a failure is harmless. Does not count as a write.
 */
export async function annotateClaim(
  client: Pick<KubernetesClient, 'patch'>,
  log: Log,
  { stamp: { claim, value } }: AnnotateClaim,
): Promise<Done> {
  const { name, namespace = '', uid } = claim.metadata;
  const metadata = { uid, annotations: { [CLAIM_ANNOTATION]: value } };
  const options = { fieldManager: NOTES_FIELD_MANAGER };
  try {
    await client.patch(resources.PersistentVolumeClaim, { namespace, name }, { metadata }, options);
  } catch (error) {
    log.warn({ namespace, claim: name, error: errorText(error) }, 'failed to annotate etcd PVC');
  }
  return {};
}
