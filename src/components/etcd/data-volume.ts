/** Names of the data volumes of an etcd: pure. A recovery uses new PVCs and keeps the former ones under their names. */

/** Name of the PVC template, unless the etcd was recovered. */
export const DATA_VOLUME = 'etcd-data';

const RECOVERED = /^r([1-9]\d{0,3})-etcd-data$/;

/** Mount path of the data volume. */
export const MOUNT_PATH = '/var/lib/etcd';

/** Name of the PVC template after the next recovery. @param volume present name */
export function nextVolume(volume: string): string {
  const count = Number(RECOVERED.exec(volume)?.[1] ?? 0);
  return `r${String(count + 1)}-${DATA_VOLUME}`;
}

/** Whether a text is the name of a PVC template of an etcd. */
export const isDataVolume = (text: string): boolean => text === DATA_VOLUME || RECOVERED.test(text);

/**
 * Value of `--data-dir`. `etcdutl` restores only into an empty folder, and the root of a volume may contain
 * `lost+found`.
 */
export const dataDirectory = (volume: string): string =>
  volume === DATA_VOLUME ? MOUNT_PATH : `${MOUNT_PATH}/data`;
