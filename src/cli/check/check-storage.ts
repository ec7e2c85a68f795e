/** The StorageClass of the etcd volumes. */
import type { PersistentVolumeClaim } from '../../kubernetes/objects/kinds.ts';
import { isDefaultClass } from '../../host-clusters/storage-classes.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { claimName } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { specOf, volumeOf } from '../../etcd-cluster/pods/stateful-set.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';
import { ordinalsBelow } from '../../untrusted/ordinals.ts';

const FIELD = 'spec.components.etcd.local.volumeData.volumeClaim.spec.storageClassName';

const ok = (text: string): Found => ({ problems: [], ok: text });
const failed = (message: string): Found => ({
  ok: '',
  problems: [{ outcome: 'failed', message: `${FIELD}: ${message}` }],
});

/** Only volumes that do not exist yet need a StorageClass. */
export async function storage(subject: Subject): Promise<Found> {
  const { local } = subject.spec.components.etcd;
  const claim = local?.volumeData.volumeClaim;
  if (local === undefined || claim === undefined) return ok('etcd uses no PersistentVolumeClaim');
  const { storageClassName, volumeName } = claim.spec;
  if (storageClassName === '' || volumeName !== undefined) return ok('etcd uses existing volumes');
  if (areBound(subject, local.replicas)) return ok('the volumes of etcd exist');
  return storageClassName === undefined ? defaultClass(subject) : named(subject, storageClassName);
}

/** Whether the volume of each etcd member is bound. A recovery keeps the volumes of the former cluster under other names. */
function areBound({ host, karmada }: Subject, members: number): boolean {
  const { name } = karmada.metadata;
  const etcd = host.objects.find(({ kind }) => kind === 'StatefulSet');
  if (etcd === undefined) return false;
  const bound = new Set(host.claims.filter(isBound).map(({ metadata }) => metadata.name));
  const volume = volumeOf(specOf(etcd));
  return ordinalsBelow(members).every((ordinal) => bound.has(claimName(name, volume, ordinal)));
}

const isBound = ({ status }: PersistentVolumeClaim): boolean => status?.phase === 'Bound';

/** Reads the classes anew, because without the permission the operator assumes that there is a default. */
async function defaultClass({ client }: Subject): Promise<Found> {
  const { items } = await client.list(resources.StorageClass, { metadataOnly: true });
  if (items.some(isDefaultClass)) return ok('etcd uses the default StorageClass');
  return failed('is not set, and the host cluster has no default StorageClass; set it');
}

async function named({ client }: Subject, name: string): Promise<Found> {
  const found = await client.find(resources.StorageClass, { name });
  if (found !== undefined) return ok(`StorageClass ${name} exists`);
  return failed(`StorageClass ${name} does not exist; create it, or set another`);
}
