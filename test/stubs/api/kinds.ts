/** Resource types that a stub API serves: the built-in ones, and those of its CRDs. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import type { RequestPath } from './request-path.ts';

/** A resource type of a request. */
export interface ServedType extends ResourceType {
  /** Whether the status has its own subresource, so that other writes do not change it. */
  readonly hasStatus: boolean;
}

/** Kinds whose status is part of the object, or that have none. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set([
  'Secret',
  'ConfigMap',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'Event',
  'ClusterRoleBinding',
  'StorageClass',
  'PriorityClass',
  'Lease',
  'Endpoints',
  'EndpointSlice',
  'ControllerRevision',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'LimitRange',
]);

const served = (type: ResourceType): ServedType => ({
  ...type,
  hasStatus: !WITHOUT_STATUS.has(type.kind),
});

const MORE: readonly ResourceType[] = [
  { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
];

/** By `group/plural`; the version does not count, as each stub serves one version of a kind. */
const BUILT_IN: ReadonlyMap<string, ServedType> = new Map(
  [...Object.values(resources), ...MORE].map((type) => [
    `${type.group}/${type.plural}`,
    served(type),
  ]),
);

interface Definition {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

/** Types of a CustomResourceDefinition. */
function typesOf({ spec }: KubernetesObject): readonly ServedType[] {
  const { group, scope, names, versions } = spec as Definition;
  const common = { group, ...names, namespaced: scope === 'Namespaced', hasStatus: true };
  return versions.filter((one) => one.served).map(({ name: version }) => ({ ...common, version }));
}

/** Types of one API server. */
export class Kinds {
  readonly #custom = new Map<string, ServedType>();

  /** Serves the types of a CRD, or of an APIService of an aggregated API server. */
  add(...types: readonly ServedType[]): void {
    for (const type of types) this.#custom.set(`${type.group}/${type.plural}`, type);
  }

  define(crd: KubernetesObject): void {
    this.add(...typesOf(crd));
  }

  remove(crd: KubernetesObject): void {
    for (const type of typesOf(crd)) this.#custom.delete(`${type.group}/${type.plural}`);
  }

  /** @returns undefined for a resource that is not served */
  find({
    group,
    version,
    plural,
  }: Pick<RequestPath, 'group' | 'version' | 'plural'>): ServedType | undefined {
    const key = `${group}/${plural}`;
    const type = this.#custom.get(key) ?? BUILT_IN.get(key);
    return type?.version === version || type?.group === '' ? type : undefined;
  }
}
