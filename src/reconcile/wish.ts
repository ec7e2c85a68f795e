/** Everything that an instance should have at this moment. */
import type { EtcdMembership } from '../components/component.ts';
import type { Templates } from '../components/render.ts';
import { sha256 } from '../kubernetes/intent.ts';
import { withAutoscalers } from './autoscalers.ts';
import { desired, type Desired } from './desired.ts';
import { withPresentAccess } from './etcd/etcd-access.ts';
import { trustOf } from './etcd/external-etcd.ts';
import { etcdMembership, replicasHold } from './etcd/plan-etcd.ts';
import { withPresentEtcd } from './etcd/present-etcd.ts';
import type { Hold } from './hold.ts';
import type { Instance } from './instance.ts';
import { estimatorTargets } from './members/estimators.ts';
import type { CertificatesView, Snapshot } from './snapshot.ts';
import { withFreshConnections } from './ways/webhook-connections.ts';

/** What should be, and what of it is held back. */
export interface Wish {
  readonly desired: Desired;
  readonly view: CertificatesView;
  readonly holds: readonly Hold[];
}

/** Everything that should exist; rendered anew only when something it is made from has changed. */
export function wishOf(
  templates: Templates,
  instance: Pick<Instance, 'rendered'>,
  snapshot: Snapshot,
  view: CertificatesView,
): Wish {
  const { karmada, spec, versionHolds = [] } = snapshot;
  const { name, namespace = '' } = karmada.metadata;
  const membership = membershipOf(snapshot);
  const archive = 'archive' in snapshot.archive ? snapshot.archive.archive : NO_CRDS;
  const estimators = estimatorTargets(snapshot);
  const etcdTrust = trustOf(snapshot);
  const { caBundle, restartHashes, externalServer } = view;
  const known = [name, namespace, spec, membership, caBundle, restartHashes, etcdTrust];
  const inputs = sha256(JSON.stringify([...known, estimators, externalServer]));
  const rendered =
    instance.rendered?.inputs === inputs && instance.rendered.archive === archive
      ? instance.rendered.desired
      : desired(templates, {
          name,
          namespace,
          spec,
          archive,
          certificates: view,
          estimators,
          ...(membership && { etcdMembership: membership }),
          ...(etcdTrust && { etcdTrust }),
        });
  instance.rendered = { inputs, archive, desired: rendered };
  const access = withPresentAccess(rendered, snapshot);
  const found = [...versionHolds, ...memberHolds(snapshot, membership), access.hold];
  const holds = found.filter((hold) => hold !== undefined);
  const etcd = withPresentEtcd(withAutoscalers(access.desired, snapshot), snapshot);
  const wish = withFreshConnections(etcd, snapshot);
  return { desired: wish, view, holds };
}

const membershipOf = (snapshot: Snapshot): EtcdMembership | undefined =>
  snapshot.etcdBirth?.membership ?? etcdMembership(snapshot);

const memberHolds = (
  { etcdBirth, spec }: Snapshot,
  membership: EtcdMembership | undefined,
): readonly (Hold | undefined)[] => [
  etcdBirth?.hold,
  replicasHold(membership, spec.components.etcd.local?.replicas),
];

const NO_CRDS = { crds: [], problems: [] };
