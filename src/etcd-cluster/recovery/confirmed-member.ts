/** Value of the annotation etcd-recover-from that names an etcd member: pure. */

/** Member that a user names. */
export interface ConfirmedMember {
  readonly pod: string;
  readonly clusterID: string;
  /** Absent if the data is to be read from its PVC, because it does not respond. */
  readonly revision?: string;
}

const FROM_VOLUME = 'volume';
const VALUE = /^([a-z0-9][a-z0-9.-]{0,252})\/([0-9a-f]{1,16})\/(volume|0|[1-9]\d{0,18})$/;

/** Parses the annotation. @returns undefined if it is not valid */
export function confirmedMember(value: string): ConfirmedMember | undefined {
  const [, pod, clusterID, revision] = VALUE.exec(value) ?? [];
  if (pod === undefined || clusterID === undefined || revision === undefined) return undefined;
  return { pod, clusterID, ...(revision !== FROM_VOLUME && { revision }) };
}

/** Value of the annotation for a member. */
export const valueFor = ({ pod, clusterID, revision = FROM_VOLUME }: ConfirmedMember): string =>
  `${pod}/${clusterID}/${revision}`;
