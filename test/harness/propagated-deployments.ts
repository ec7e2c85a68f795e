/** Deployments without replicas that a control plane propagates, and what member clusters have of them. */
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';

const namespace = 'default';

/** Variables of a changed Deployment. */
export const ADDED = [{ name: 'ADDED', value: '1' }];

/** A Deployment of a member cluster. */
export interface MemberDeployment {
  readonly uid: string;
  /** Number of changes of its spec. */
  readonly generation: number;
  /** Number of the variables of its container. */
  readonly variables: number;
}

/** The Deployments of a suite. */
export class PropagatedDeployments {
  readonly #suite: string;

  /** @param suite value of their label */
  constructor(suite: string) {
    this.#suite = suite;
  }

  deployment(called: string, env: readonly object[] = []): object {
    const labels = { suite: this.#suite, app: called };
    const container = { name: 'web', image: 'docker.io/library/busybox:1.36', env };
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: called, namespace, labels },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    };
  }

  /** Propagates all of them. @param clusterNames member clusters */
  policy(clusterNames: readonly string[]): object {
    const labelSelector = { matchLabels: { suite: this.#suite } };
    return {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'PropagationPolicy',
      metadata: { name: this.#suite, namespace },
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', labelSelector }],
        placement: { clusterAffinity: { clusterNames } },
      },
    };
  }

  get #selected(): readonly string[] {
    return ['deployments', '-n', namespace, '-l', `suite=${this.#suite}`];
  }

  /** Deployments of a member cluster by name. */
  async of(member: Cluster): Promise<Readonly<Record<string, MemberDeployment>>> {
    const text = await kubectl(member, ['get', ...this.#selected, '-o', 'json']);
    const { items } = JSON.parse(text) as { items: readonly ReturnedDeployment[] };
    return Object.fromEntries(
      items.map(({ metadata: { name, uid = '', generation = 0 }, spec }) => {
        const [container] = spec.template.spec.containers;
        return [name, { uid, generation, variables: container?.env?.length ?? 0 }];
      }),
    );
  }

  /** Numbers of variables of the Deployments of a member cluster. */
  async variablesOf(member: Cluster): Promise<Readonly<Record<string, number>>> {
    const found = Object.entries(await this.of(member));
    return Object.fromEntries(found.map(([name, { variables }]) => [name, variables]));
  }

  /** Waits until a member cluster has exactly these Deployments. @param expected numbers of variables, sorted by name */
  async until(member: Cluster, expected: Readonly<Record<string, number>>): Promise<void> {
    const wanted = JSON.stringify(expected);
    await poll(
      `the member cluster has ${wanted}`,
      async (seen) => {
        const found = JSON.stringify(await this.variablesOf(member));
        seen(found);
        return found === wanted ? true : undefined;
      },
      { deadlineMs: 120_000 },
    );
  }

  /** Deletes them in a member cluster. */
  async clean(member: Cluster): Promise<void> {
    await tryKubectl(member, ['delete', ...this.#selected]);
  }
}

interface ReturnedDeployment extends KubernetesObject {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly env?: readonly object[] }[] };
    };
  };
}
