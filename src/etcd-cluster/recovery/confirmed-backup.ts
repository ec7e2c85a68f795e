/** Value of the annotation etcd-recover-from that names a verified backup instead of a member: pure. */
import type { EtcdRecord } from '../identity/record.ts';
import { confirmedMember } from './confirmed-member.ts';

/** Backup whose data replaces that of etcd, as a KarmadaRestore confirms it. */
export interface ConfirmedBackup {
  /** Name of the KarmadaRestore. */
  readonly restore: string;
  /** Cluster that is given up, hexadecimal. */
  readonly clusterID: string;
  /** Revision of the backup, decimal. */
  readonly revision: string;
}

const VALUE = /^restore:([a-z0-9][a-z0-9.-]{0,62})\/([0-9a-f]{1,16})\/(0|[1-9]\d{0,18})$/;

/** Parses the annotation. @returns undefined if it does not name a KarmadaRestore */
export function confirmedBackup(value: string): ConfirmedBackup | undefined {
  const [, restore, clusterID, revision] = VALUE.exec(value) ?? [];
  if (restore === undefined || clusterID === undefined || revision === undefined) return undefined;
  return { restore, clusterID, revision };
}

/** Value of the annotation for a backup. */
export const backupValue = ({ restore, clusterID, revision }: ConfirmedBackup): string =>
  `restore:${restore}/${clusterID}/${revision}`;

/** Data that a value names: the cluster that is given up, and the revision that the restored data must have. */
export const confirmedData = (
  value: string,
): { readonly clusterID: string; readonly revision?: string } | undefined =>
  confirmedBackup(value) ?? confirmedMember(value);

/** Why a backup does not replace the data of the recorded cluster; undefined if it may. */
export const refusedBackup = (
  { restore, clusterID }: ConfirmedBackup,
  record: EtcdRecord | undefined,
): string | undefined =>
  record?.clusterID === clusterID
    ? undefined
    : `etcd is cluster ${record?.clusterID ?? 'unknown'}, not ${clusterID}, which KarmadaRestore ${restore} confirms`;
