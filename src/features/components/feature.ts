import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { ObserveContext } from '../../actions/observers.ts';
import type { Planner } from '../../actions/planner.ts';
import type { TenantPods } from '../../components/pod-security.ts';
import type { Host } from '../../host-clusters/host.ts';
import { pauseConditions } from '../../instance/pause.ts';
import { failuresIn } from '../causes/component-causes.ts';
import { isPerCluster } from '../../components/registry.ts';
import { enforcedLevel } from '../../host-clusters/host-namespace.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { namespaceOf } from '../../kubernetes/objects/resources.ts';
import { applyObject, removeObject } from './apply-object.ts';
import { desiredStateOf } from './desired-state.ts';
import { planInstance } from './plan.ts';
import { stepStates } from './steps.ts';
import { msUntilConnectionRenewal } from './webhook-connection-drain.ts';

interface Tools {
  readonly host: Host;
}

interface Readers {
  readonly host: Pick<Host, 'remote' | 'namespaces'>;
  readonly tenantPods: TenantPods;
  /** Namespace of the Pods of this operator. The Lease may be in another one. */
  readonly operatorNamespace?: string;
}

const levelIn = ({ namespaces }: Pick<Host, 'namespaces'>, name: string): string | undefined =>
  enforcedLevel(namespaces?.cache.get({ name }));

const objectTools = ({ tools: { host }, instance, snapshot }: ExecutionContext<Tools>) => ({
  instance,
  name: snapshot.karmada.metadata.name,
  host,
  controlPlane: instance.controlPlane,
});

/** The objects of the components, in the host cluster and in the control plane. */
export const components = {
  name: 'components',
  observers: {
    facts: ({
      tools: { host, tenantPods, operatorNamespace: namespace },
      instance,
    }: ObserveContext<Readers>) => ({
      installed: new Set(instance.settled.keys()),
      tenantPods,
      ...optionalField('podSecurity', levelIn(host, namespaceOf(instance.key))),
      ...(host.remote === undefined && namespace && { operatorNamespace: namespace }),
    }),
  },
  executors: (context: ExecutionContext<Tools>) => ({
    apply: (action) => applyObject(objectTools(context), action),
    remove: (action) => removeObject(objectTools(context), action),
  }),
  problem: ({ snapshot, outcome, causes }) => {
    const write = outcome.problems.find(({ step }) => !isPerCluster(step));
    // While etcd is recovered, its members and clients are not ready; the recovery says what it waits for.
    const [failure] = snapshot.etcdBootstrap?.recovery === undefined ? failuresIn(causes) : [];
    return write ?? failure;
  },
  conditions: ({ snapshot }) => pauseConditions(snapshot),
  msUntilCheck: ({ snapshot }) => msUntilConnectionRenewal(snapshot) ?? Infinity,
} satisfies Feature<Tools, Readers>;

/** Renders and plans their objects. */
export const planner: Planner = {
  desiredState: desiredStateOf,
  states: stepStates,
  plan: planInstance,
};
