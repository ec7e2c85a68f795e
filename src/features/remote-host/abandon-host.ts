/** The annotation by which a user declares a host cluster permanently lost. Pure functions. */
import { ABANDON_HOST_ANNOTATION, type Karmada } from '../../api/karmada.ts';

type Subject = Pick<Karmada, 'metadata'>;

/**
 * Whether the user has declared this lost. The value must be the uid: `true` would also match later objects.
 * @param uid uid of the Karmada to delete it without its host cluster, or `status.hostUID` to recreate the control
 * plane in another cluster
 */
export function isAbandoned({ metadata }: Subject, uid: string | undefined): boolean {
  return uid !== undefined && uid !== '' && metadata.annotations?.[ABANDON_HOST_ANNOTATION] === uid;
}

/** Whether a control plane with this `status.hostUID` runs in another cluster. An unknown UID is no proof of that. */
export const isElsewhere = (hostUID: string | undefined, uid: string | undefined): boolean =>
  hostUID !== undefined && uid !== undefined && hostUID !== uid;

/** Returns the kubectl command that sets the annotation, with a note if the annotation has another value now. */
export function abandonCommand({ metadata }: Subject, uid: string | undefined): string {
  const { name, namespace = '', annotations } = metadata;
  const present = annotations?.[ABANDON_HOST_ANNOTATION];
  const note = present === undefined ? '' : ' (the annotation has a different value now)';
  return `kubectl -n ${namespace} annotate karmada ${name} --overwrite ${ABANDON_HOST_ANNOTATION}=${uid ?? ''}${note}`;
}
