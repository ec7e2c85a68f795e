/** Keeps the certificate hash of Pods for as long as a kubelet may mount the former content of a Secret: pure. */
import { COMPONENT } from '../../api/labels.ts';
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import { isWorkload } from '../../components/workload.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';

type Hashes = CertificatesView['restartHashes'];

/** Returns the hashes with those that the Pods of unsettled components have: none for an etcd whose members never had one. */
export function withUnsettledHashes(
  hashes: Hashes,
  { rotation, host }: Pick<Snapshot, 'rotation' | 'host'>,
): Hashes {
  if (rotation === undefined || rotation.unsettled.size === 0) return hashes;
  const kept = host.objects.flatMap(
    (object): readonly (readonly [string, string | undefined])[] => {
      const name = object.metadata.labels?.[COMPONENT] ?? '';
      const isUnsettled = [...rotation.unsettled].some((one) => one === name);
      if (!isUnsettled || !isWorkload(object)) return [];
      return [[name, object.spec.template.metadata.annotations?.[CERTIFICATES_HASH_ANNOTATION]]];
    },
  );
  const known = Object.entries({ ...hashes, ...Object.fromEntries(kept) });
  return Object.fromEntries(
    known.flatMap(([name, hash]) => (hash === undefined ? [] : [[name, hash]])),
  );
}
