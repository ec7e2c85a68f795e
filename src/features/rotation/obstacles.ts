/** What delays or forbids rotations, in the words of a message: pure. */
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import { isRolledOut } from '../../components/rollout.ts';
import { hasPeerCertificate, peerSchemeOf } from '../../components/etcd/peer-flags.ts';
import { isWorkload, type Workload } from '../../components/workload.ts';
import { isDurable, specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { ROTATION_AUTHORITIES, type RotationAuthority } from './authority.ts';
import { keptControlPlaneCa } from './ca-obstacles.ts';
import type { AuthorityFacts, CustomFacts, Obstacles } from './facts.ts';
import { hasHash } from './restart-pods.ts';

interface Seen {
  readonly snapshot: Snapshot;
  readonly view: CertificatesView | undefined;
  readonly inputs: PkiInputs;
  /** Workloads that mount what is rotated, as they were read just now. */
  readonly workloads: readonly KubernetesObject[];
  readonly authorities: readonly AuthorityFacts[];
}

/** Returns the obstacles. @param unread why Secrets or Pods could not be read */
export function obstaclesOf(seen: Seen, unread: string | undefined): Obstacles {
  const { snapshot } = seen;
  const unobserved = unread ?? snapshot.controlPlane.unobserved?.message;
  const otherChange = otherChangeIn(seen);
  const notReady = unreadiness(snapshot);
  return {
    unsupported: unsupportedIn(seen),
    ...(unobserved !== undefined && { unobserved }),
    ...(otherChange !== undefined && { otherChange }),
    ...(notReady !== undefined && { notReady }),
  };
}

/** Why a request is refused. Only what tests prove is possible. */
function unsupportedIn(seen: Seen): ReadonlyMap<RotationAuthority, string> {
  return new Map(
    ROTATION_AUTHORITIES.flatMap((name) => {
      const cause = CAUSES[name](seen);
      return cause === undefined ? [] : [[name, cause] as const];
    }),
  );
}

const CAUSES: Readonly<Record<RotationAuthority, (seen: Seen) => string | undefined>> = {
  'service-account-key': ({ view }) =>
    view?.sharesKey === true
      ? 'Pods of the Go operator use the key also for a certificate; this version of the operator does not rotate it'
      : undefined,
  'front-proxy-ca': (seen) => keptCa(seen, 'front-proxy-ca'),
  'etcd-ca': (seen) => keptCa(seen, 'etcd-ca') ?? keptEtcd(seen),
  ca: (seen) => keptControlPlaneCa(seen) ?? keptCa(seen, 'ca'),
};

/** Why a CA cannot be replaced by its successor. */
function keptCa({ authorities }: Seen, name: RotationAuthority): string | undefined {
  const facts = authorities.find(({ authority }) => authority === name);
  if (facts === undefined) return undefined;
  if (facts.custom !== undefined) return keptCustomCa(facts, facts.custom);
  const { active, backup, successorFault } = facts;
  const { successor } = backup;
  if (successor === undefined)
    return `Secret ${backup.name} has no private key of its successor; restore the Secret from a backup`;
  if (successorFault !== undefined)
    return `clients with a copy of it would not accept its successor: ${successorFault}`;
  if (successor.notAfter < active.notAfter) return 'its successor expires before it';
  return furtherCas(facts, successor.sha256);
}

/** Why the rotation would give up trust that no proof is about. */
function furtherCas({ active, secrets }: AuthorityFacts, successor: string): string | undefined {
  const known = [active.sha256, successor];
  const other = secrets.find(({ bundle = [] }) => bundle.some((root) => !known.includes(root)));
  return (
    other &&
    `Secret ${other.name} contains further CAs besides it and its successor, which the rotation would give up; take them out of the Secret`
  );
}

/** Why the Secret of the user has no CA that can replace the active one. */
function keptCustomCa(
  facts: AuthorityFacts,
  { secret, fault, offer }: CustomFacts,
): string | undefined {
  const where = secret === undefined ? '' : `Secret ${secret}: `;
  if (offer === undefined) return `${where}${fault ?? 'could not be compared with the CA in use'}`;
  const { name, successor } = facts.backup;
  return successor !== undefined && successor.sha256 !== offer.sha256
    ? `Secret ${name} has the private key of another CA, which components trust; this version of the operator does not replace it by a custom CA`
    : furtherCas(facts, offer.sha256);
}

/** Why the members of etcd cannot take up another CA. */
function keptEtcd({ workloads }: Seen): string | undefined {
  const etcd = workloads.find((one) => one.kind === 'StatefulSet');
  if (etcd === undefined) return undefined;
  if (peerSchemeOf(etcd) === 'http' || !hasPeerCertificate(etcd))
    return 'its members accept each other without TLS; adopt the etcd first';
  return isDurable(specOf(etcd))
    ? undefined
    : 'the data of its members is in their Pods, so that a restart would lose it; restore a backup into a control plane whose etcd has a volume';
}

function otherChangeIn({ snapshot, view, workloads }: Seen): string | undefined {
  const { rollback, karmada, etcdBootstrap } = snapshot;
  if (rollback !== undefined) return 'the rollback';
  if (etcdBootstrap?.recovery !== undefined) return 'the recovery of etcd';
  const { phase } = karmada.status?.upgrade ?? {};
  if (karmada.status?.upgrade !== undefined && phase !== 'RolledBack') return 'the upgrade';
  const outdated = workloads.find((one) => !isCurrent(one, view));
  return outdated && `the rollout of ${outdated.kind} ${outdated.metadata.name}`;
}

/** Whether all Pods of a workload run with the present certificates and keys. */
function isCurrent(workload: KubernetesObject, view: CertificatesView | undefined): boolean {
  const name = workload.metadata.labels?.[COMPONENT] ?? '';
  const hashes = [view?.restartHashes, view?.formerRestartHashes].map((all) => hashOf(all, name));
  if (!isRolledOut(workload) || !isWorkload(workload)) return false;
  const applied = appliedHash(workload);
  // An etcd of an earlier version of the operator has none until the CAs change that it trusts.
  return (
    hashes.some((hash) => hasHash(applied, hash)) || (name === 'etcd' && applied === undefined)
  );
}

const hashOf = (
  hashes: Readonly<Partial<Record<string, string>>> = {},
  name: string,
): string | undefined => hashes[name];

const appliedHash = ({ spec }: Workload): string | undefined =>
  spec.template.metadata.annotations?.[CERTIFICATES_HASH_ANNOTATION];

/** Why the control plane is not ready, as its status says. */
function unreadiness({ karmada, controlPlane }: Snapshot): string | undefined {
  if (controlPlane.state !== 'ready') return controlPlane.message;
  const { metadata, status } = karmada;
  const of = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const [ready, progressing] = [of('Ready'), of('Progressing')];
  if (ready === undefined) return 'its state is not known yet';
  if (ready.status !== 'True') return ready.message;
  if (ready.observedGeneration !== metadata.generation) return 'its spec has changed';
  return progressing?.status === 'True' ? progressing.message : undefined;
}
