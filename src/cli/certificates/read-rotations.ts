/** Reads the record of the rotations of a control plane. It contains no key. */
import type { Karmada } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { parseRecord } from '../../features/rotation/parse-record.ts';
import {
  EMPTY_RECORD,
  ROTATION_ANNOTATION,
  type RotationRecord,
} from '../../features/rotation/record.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { resources } from '../../kubernetes/objects/resources.ts';

/**
 * Reads the record.
 * @param client of the host cluster
 * @returns an empty record if it does not exist or is not valid, which the condition then says
 * @throws ApiError, NetworkError
 */
export async function readRotations(
  client: Pick<KubernetesClient, 'find'>,
  { metadata: { name, namespace = '' } }: Karmada,
): Promise<RotationRecord> {
  const key = { namespace, name: instanceName(name, SECRET_SUFFIX.caBackup) };
  const found = await client.find(resources.Secret, key);
  const record = parseRecord(found?.metadata.annotations?.[ROTATION_ANNOTATION]);
  return 'fault' in record ? EMPTY_RECORD : record;
}
