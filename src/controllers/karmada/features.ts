/** All features of a control plane. To add one, add it here. */
import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import { adoption } from '../../features/adoption/feature.ts';
import { certificates } from '../../features/certificates/feature.ts';
import { components } from '../../features/components/feature.ts';
import { controlPlane } from '../../features/control-plane/feature.ts';
import { etcdBootstrap } from '../../features/etcd-bootstrap/feature.ts';
import { etcdMembers } from '../../features/etcd-members/feature.ts';
import { etcd } from '../../features/etcd-plan/feature.ts';
import { etcdRecovery } from '../../features/etcd-recovery/feature.ts';
import { etcdStorage } from '../../features/etcd-storage/feature.ts';
import { etcdUpkeep } from '../../features/etcd-upkeep/feature.ts';
import { externalEtcd } from '../../features/external-etcd/feature.ts';
import { identities } from '../../features/identities/feature.ts';
import { memberAccess } from '../../features/member-access/feature.ts';
import { operatorRollout } from '../../features/operator-rollout/feature.ts';
import { propagation } from '../../features/propagation/feature.ts';
import { reachability } from '../../features/reachability/feature.ts';
import { readiness } from '../../features/readiness/feature.ts';
import { remoteHost } from '../../features/remote-host/feature.ts';
import { rollback } from '../../features/rollback/feature.ts';
import { secretGrants } from '../../features/secret-grants/feature.ts';
import { status } from '../../features/status/feature.ts';
import { upgradeBackup } from '../../features/upgrade-backup/feature.ts';
import { versions } from '../../features/versions/feature.ts';

/** In the order in which they report: problems of data come first, since nothing else can be mended before. */
const REGISTERED = [
  remoteHost,
  versions,
  externalEtcd,
  certificates,
  identities,
  etcdMembers,
  etcdStorage,
  propagation,
  etcdRecovery,
  etcdBootstrap,
  etcdUpkeep,
  etcd,
  adoption,
  components,
  controlPlane,
  secretGrants,
  reachability,
  readiness,
  operatorRollout,
  memberAccess,
  upgradeBackup,
  rollback,
  status,
] as const;

type Registered = (typeof REGISTERED)[number];

/** Tools of the executors of all features. */
export type FeatureTools = UnionToIntersection<
  Registered extends infer F
    ? F extends { executors: (context: ExecutionContext<infer T>) => unknown }
      ? T
      : never
    : never
>;

/** Kinds of actions that a feature executes. */
export type ExecutedKind = Registered extends infer F
  ? F extends { executors: (context: never) => infer E }
    ? keyof E
    : never
  : never;

type UnionToIntersection<U> = (U extends unknown ? (value: U) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never;

export const FEATURES: readonly Feature<FeatureTools>[] = REGISTERED;
