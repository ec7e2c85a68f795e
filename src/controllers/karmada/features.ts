/** All features of a control plane, and what they need of each other. To add one, add it here. */
import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Observers } from '../../actions/observers.ts';
import type { Planner } from '../../actions/planner.ts';
import type { PreflightCheck } from '../../actions/preflight.ts';
import { adoption } from '../../features/adoption/feature.ts';
import { checkAdoption } from '../../features/adoption/preflight.ts';
import { certificates } from '../../features/certificates/feature.ts';
import { checkForeignSecrets } from '../../features/certificates/foreign-secrets.ts';
import { causes } from '../../features/causes/feature.ts';
import { components, planner } from '../../features/components/feature.ts';
import {
  connectControlPlane,
  type ConnectTools,
} from '../../features/control-plane/connect-control-plane.ts';
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
import { progress } from '../../features/progress/feature.ts';
import { propagation } from '../../features/propagation/feature.ts';
import { reachability } from '../../features/reachability/feature.ts';
import { readiness } from '../../features/readiness/feature.ts';
import { remoteHost } from '../../features/remote-host/feature.ts';
import { checkAbandonedHost, checkEtcdKind } from '../../features/remote-host/preflight.ts';
import { rollback } from '../../features/rollback/feature.ts';
import { rotation } from '../../features/rotation/feature.ts';
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
  rotation,
  etcdMembers,
  etcdStorage,
  propagation,
  etcdRecovery,
  etcdBootstrap,
  etcdUpkeep,
  etcd,
  adoption,
  components,
  causes,
  controlPlane,
  secretGrants,
  reachability,
  readiness,
  operatorRollout,
  memberAccess,
  upgradeBackup,
  rollback,
  progress,
  status,
] as const;

type Registered = (typeof REGISTERED)[number];

/** Tools of the executors of all features. */
type FeatureTools = UnionToIntersection<
  Registered extends infer F
    ? F extends { executors: (context: ExecutionContext<infer T>) => unknown }
      ? T
      : never
    : never
>;

/** What the observers of all features read with. */
export type FeatureReaders = (
  Registered extends infer F
    ? F extends { observers: Observers<infer R> }
      ? (value: R) => void
      : never
    : never
) extends (value: infer I) => void
  ? I
  : never;

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

export const FEATURES: readonly Feature<FeatureTools, FeatureReaders>[] = REGISTERED;

/** Renders and plans the objects of all features. */
export const PLANNER: Planner = planner;

/** In this order; the first result counts. Secrets of a control plane that is adopted are not foreign. */
const PREFLIGHT = [checkAbandonedHost, checkEtcdKind, checkAdoption, checkForeignSecrets] as const;

type PreflightTools = UnionToIntersection<Parameters<(typeof PREFLIGHT)[number]>[0]>;

export const PREFLIGHT_CHECKS: readonly PreflightCheck<PreflightTools>[] = PREFLIGHT;

/** Tools of one reconcile. Features that issue certificates connect to the control plane with them. */
export type GivenTools = Omit<FeatureTools, 'connect'> & ConnectTools;

/** Adds what features need of each other. */
export const featureTools = (tools: GivenTools): FeatureTools => ({
  ...tools,
  connect: (to, credentials) => connectControlPlane(tools, to, credentials),
});
