/**
 * Whether requests find their way to a component already. Its pods may be ready and the nodes' proxies not know it
 * yet; who sends an API server there too early pays for it: kube-aggregator looks again after five seconds only, and
 * users' requests fail at a webhook that is not reached.
 */
import type { ComponentName, Step } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Snapshot } from '../snapshot.ts';
import type { StepStates } from '../steps.ts';

/** Steps that route requests to a component. */
const ROUTED: readonly (readonly [Step, ComponentName])[] = [
  ['webhook-configurations', 'karmada-webhook'],
  ['cluster-api-service', 'karmada-aggregated-apiserver'],
  ['metrics-api-services', 'karmada-metrics-adapter'],
  ['search-api-service', 'karmada-search'],
];

/** Where a step's requests would go. */
export interface Way {
  readonly step: Step;
  readonly address: string;
  readonly port: number;
}

/** Per step, since when its way is looked for, in monotonic milliseconds, or that it need not be any more. */
export type Ways = ReadonlyMap<Step, number | 'open'>;

/** After this time the operator may just not be where it could see it: nothing waits for it any longer. */
const PATIENCE_MS = 5_000;

/** Ways that have to be looked at: their component is ready and nothing is sent there yet. */
export function waysToLookAt(
  states: StepStates,
  { host, controlPlane }: Pick<Snapshot, 'host' | 'controlPlane'>,
): readonly Way[] {
  if (controlPlane.state !== 'ready') return [];
  return ROUTED.filter(
    ([step, component]) =>
      states.get(step)?.state === 'missing' && states.get(component)?.state === 'complete',
  ).flatMap(([step, component]) => {
    const way = wayTo(component, host.objects);
    return way === undefined ? [] : { step, ...way };
  });
}

function wayTo(
  component: ComponentName,
  objects: readonly KubernetesObject[],
): Omit<Way, 'step'> | undefined {
  const service = objects.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.labels?.[COMPONENT] === component,
  );
  const spec = service?.['spec'] as ServiceSpec | undefined;
  const port = spec?.ports?.[0]?.port;
  if (spec?.clusterIP === undefined || spec.clusterIP === 'None' || port === undefined)
    return undefined;
  return { address: spec.clusterIP, port };
}

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly ports?: readonly { readonly port: number }[];
}

/**
 * What is known of the ways after a look.
 * @param before what was known
 * @param reached those of them that were found
 */
export function afterLook(
  before: Ways,
  looked: readonly Way[],
  reached: ReadonlySet<Step>,
  monotonic: number,
): Ways {
  return new Map(
    looked.map(({ step }) => {
      const since = before.get(step) ?? monotonic;
      const open = since === 'open' || reached.has(step) || monotonic - since >= PATIENCE_MS;
      return [step, open ? 'open' : since];
    }),
  );
}

/** Steps that have to wait for their way. */
export function closedSteps(ways: Ways): ReadonlySet<Step> {
  return new Set([...ways].filter(([, since]) => since !== 'open').map(([step]) => step));
}
