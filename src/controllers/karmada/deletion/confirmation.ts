/** Decides whether a deletion waits for the user, because member clusters are joined. Pure functions. */
import {
  CONFIRM_DELETION_ANNOTATION,
  FINALIZER,
  type Karmada,
  type KarmadaStatus,
} from '../../../api/karmada.ts';
import { deletesObjects } from './finalize.ts';

/** What is known about the member clusters of a control plane that is deleted. */
export interface JoinedMembers {
  /** Undefined if the operator has never observed them. */
  readonly total: number | undefined;
  /** Names, as far as they are known. */
  readonly names: readonly string[];
  /** Whether the control plane reports them now; otherwise they are as in the last status. */
  readonly isCurrent: boolean;
}

/** Maximum number of names in a message. */
const NAMED = 5;

/**
 * Returns the member clusters that are joined.
 * @param current names that the control plane reports now; undefined if it cannot be queried
 */
export function joinedMembers(
  current: readonly string[] | undefined,
  { memberClusters, secretRef }: KarmadaStatus,
): JoinedMembers {
  if (current !== undefined) {
    return { total: current.length, names: [...current].sort(), isCurrent: true };
  }
  if (memberClusters !== undefined) {
    const names = memberClusters.clusters.map(({ name }) => name).sort();
    return { total: memberClusters.total, names, isCurrent: false };
  }
  // No member cluster can join a control plane that was never ready.
  return { total: secretRef === undefined ? 0 : undefined, names: [], isCurrent: false };
}

/** Whether the policy of a Karmada demands a confirmation that is missing, if member clusters are joined. */
export function demandsConfirmation(karmada: Pick<Karmada, 'metadata' | 'spec'>): boolean {
  const { uid, annotations, finalizers } = karmada.metadata;
  const isConfirmed = uid !== undefined && annotations?.[CONFIRM_DELETION_ANNOTATION] === uid;
  if (karmada.spec?.deletionPolicy !== 'ConfirmMembers' || isConfirmed) return false;
  return finalizers?.includes(FINALIZER) === true && deletesObjects(karmada);
}

/** Message of a deletion that waits, with the command that confirms it. */
export function unconfirmedText(
  { metadata }: Pick<Karmada, 'metadata'>,
  members: JoinedMembers,
): string {
  const { name, namespace = '', uid = '', annotations } = metadata;
  const present = annotations?.[CONFIRM_DELETION_ANNOTATION];
  const note = present === undefined ? '' : ' (the annotation has a different value now)';
  const command = `kubectl -n ${namespace} annotate karmada ${name} --overwrite ${CONFIRM_DELETION_ANNOTATION}=${uid}${note}`;
  const { isCurrent, total } = members;
  const age = `${total === undefined ? '' : ' as last observed'}; the control plane does not respond`;
  return `deletion blocked by spec.deletionPolicy: ${joinedText(members)}${isCurrent ? '' : age}. Remove the member clusters, or run ${command} to delete the control plane anyway`;
}

/** Note of the Event about member clusters that stay behind; undefined if none is known. */
export function leftBehindText(members: JoinedMembers): string | undefined {
  const { total, isCurrent } = members;
  if (total === undefined || total === 0) return undefined;
  const when = isCurrent ? '' : ' (as last observed)';
  return `${joinedText(members)}${when}; the deletion changes nothing in them: their workloads keep running, and karmada-agent and the ServiceAccounts of the control plane stay there`;
}

function joinedText({ total, names }: JoinedMembers): string {
  if (total === undefined) return 'member clusters: not known';
  const named = names.slice(0, NAMED);
  const more = total - named.length;
  const list = named.join(', ');
  if (list === '') return `member clusters still joined: ${total}`;
  return `member clusters still joined: ${list}${more > 0 ? ` (+${more})` : ''}`;
}
