/** Observes the workloads of a control plane while it changes: order of the changes, and components without a ready Pod. */
import { COMPONENT } from '../../../src/api/labels.ts';
import { UPGRADE_STAGES } from '../../../src/components/registry.ts';
import { canonicalJson } from '../../../src/kubernetes/objects/intent.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Store, StoreEvent } from '../api/store.ts';
import { isReady } from '../controllers/pods.ts';

const WORKLOADS: readonly string[] = ['apps/deployments', 'apps/statefulsets'];

const componentOf = ({ metadata }: KubernetesObject): string => metadata.labels?.[COMPONENT] ?? '';

const templateOf = (workload: KubernetesObject): unknown =>
  (workload['spec'] as { readonly template: unknown }).template;

/** Pod templates of all workloads of a namespace, by name. */
export const templatesIn = (store: Store, namespace: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    WORKLOADS.flatMap((resource) => store.list(resource, namespace)).map((workload) => [
      workload.metadata.name,
      templateOf(workload),
    ]),
  );

/** Generations of all workloads of a namespace, by name: they change with each change of a spec. */
export const generationsIn = (store: Store, namespace: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    WORKLOADS.flatMap((resource) => store.list(resource, namespace)).map(({ metadata }) => [
      metadata.name,
      metadata.generation,
    ]),
  );

export class WorkloadChanges {
  /** Components whose Pod template changed, in order. */
  readonly there: string[] = [];
  /** Components whose Pod template became that of the beginning again, in order. */
  readonly back: string[] = [];
  /** Components that had no ready Pod at some time. */
  readonly outages = new Set<string>();
  readonly #store: Store;
  readonly #namespace: string;
  readonly #templates: Readonly<Record<string, unknown>>;
  readonly #served: ReadonlySet<string>;
  #isEnded = false;

  /** Starts to observe. Components without a ready Pod now do not count as outages. */
  constructor(store: Store, namespace: string) {
    this.#store = store;
    this.#namespace = namespace;
    this.#templates = templatesIn(store, namespace);
    this.#served = this.#ready();
    store.subscribe((resource, event) => {
      if (!this.#isEnded && event.object.metadata.namespace === namespace)
        this.#note(resource, event);
    });
  }

  end(): void {
    this.#isEnded = true;
  }

  #note(resource: string, { object, previous }: StoreEvent): void {
    if (resource === '/pods') {
      const ready = this.#ready();
      for (const component of this.#served) if (!ready.has(component)) this.outages.add(component);
    }
    if (!WORKLOADS.includes(resource) || previous === undefined) return;
    const template = canonicalJson(templateOf(object));
    if (template === canonicalJson(templateOf(previous))) return;
    const isBack = template === canonicalJson(this.#templates[object.metadata.name]);
    (isBack ? this.back : this.there).push(componentOf(object));
  }

  #ready(): ReadonlySet<string> {
    return new Set(this.#store.list('/pods', this.#namespace).filter(isReady).map(componentOf));
  }
}

const stageOf = (component: string): number =>
  UPGRADE_STAGES.findIndex((stage) => stage.some((step) => step === component));

/** Returns the components that changed although a component of a later stage had changed before. */
export function outOfOrder(components: readonly string[]): readonly string[] {
  let latest = -1;
  return components.filter((component) => {
    const stage = stageOf(component);
    latest = Math.max(latest, stage);
    return stage < latest;
  });
}

/** Returns the components of later stages than this one. */
export const laterThan = (
  components: readonly string[],
  component: string | undefined,
): readonly string[] =>
  components.filter((one) => component !== undefined && stageOf(one) > stageOf(component));
