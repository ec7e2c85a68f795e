/** Giving up a host, in the words of the annotation: pure. */
import { ABANDON_HOST_ANNOTATION, type Karmada } from '../../api/karmada.ts';

type Subject = Pick<Karmada, 'metadata'>;

/**
 * Whether the owner of a Karmada has given up exactly this: a value that names it counts once, and one such as `true` would
 * count for whatever comes later.
 * @param uid of what is given up: that of the Karmada for its deletion, `status.hostUID` for a control plane that is made
 * anew in another cluster
 */
export function isAbandoned({ metadata }: Subject, uid: string | undefined): boolean {
  return uid !== undefined && uid !== '' && metadata.annotations?.[ABANDON_HOST_ANNOTATION] === uid;
}

/** The command that gives it up, with a word about a value that does not count. */
export function abandonCommand({ metadata }: Subject, uid: string | undefined): string {
  const { name, namespace = '', annotations } = metadata;
  const present = annotations?.[ABANDON_HOST_ANNOTATION];
  const note = present === undefined ? '' : ' (the annotation has another value now)';
  return `kubectl -n ${namespace} annotate karmada ${name} --overwrite ${ABANDON_HOST_ANNOTATION}=${uid ?? ''}${note}`;
}
