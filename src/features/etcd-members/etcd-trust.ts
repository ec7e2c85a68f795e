/**
 * Restarts etcd members when the CAs change that they trust, because etcd reads these only at start. A StatefulSet of an earlier
 * operator release has no hash of them in its Pod template: it gets the hash with the first change, so that a new version of the
 * operator restarts no member. Pure functions.
 */
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { desiredObject, type DesiredObjects } from '../../instance/desired-objects.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';

/** Annotation of a StatefulSet without the hash in its Pod template: hash of the CAs that its members trust. */
const INITIAL_TRUST = 'operator.karmada.io/etcd-initial-trust';

type Hashes = CertificatesView['restartHashes'];
type Seen = Pick<Snapshot, 'karmada' | 'host'>;

/** Returns the hashes for the Pod templates: without that of etcd while its members run without it, and trust the same CAs. */
export function trustHashes(hashes: Hashes, snapshot: Seen): Hashes {
  const live = etcdWorkload(snapshot);
  const { etcd: wanted, ...others } = hashes;
  return live !== undefined && keepsTrust(live, wanted) ? others : hashes;
}

function keepsTrust(live: KubernetesObject, wanted: string | undefined): boolean {
  return hashIn(live) === undefined && initialTrust(live, wanted) === wanted;
}

const hashIn = (object: KubernetesObject): string | undefined =>
  specOf(object).template?.metadata?.annotations?.[CERTIFICATES_HASH_ANNOTATION];

const initialTrust = ({ metadata }: KubernetesObject, wanted: string | undefined) =>
  metadata.annotations?.[INITIAL_TRUST] ?? wanted;

/** Notes on such a StatefulSet which CAs its members trust. The annotation is no part of the Pod template. */
export function withInitialTrust(
  desired: DesiredObjects,
  snapshot: Seen,
  { restartHashes }: Pick<CertificatesView, 'restartHashes'>,
): DesiredObjects {
  const live = etcdWorkload(snapshot);
  const trust = live && initialTrust(live, restartHashes.etcd);
  if (live === undefined || trust === undefined || hashIn(live) !== undefined) return desired;
  const objects = desired.objects.map((item) => {
    const { object } = item;
    // Other CAs, whose hash waits until kubelets mount them, do not change what the members trust.
    if (item.step !== 'etcd' || object.kind !== 'StatefulSet') return item;
    if (hashIn(object) !== undefined) return item;
    const annotations = { ...object.metadata.annotations, [INITIAL_TRUST]: trust };
    const noted = { ...object, metadata: { ...object.metadata, annotations } };
    return desiredObject(item.cluster, item.step, noted);
  });
  return { ...desired, objects };
}
