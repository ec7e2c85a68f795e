/**
 * The Karmada API of one control plane: a stub API whose CRDs become established, whose APIServices follow the Pods
 * behind them, and whose webhook rejects the policy that the operator checks.
 */
import { createHash } from 'node:crypto';
import type { AccessReview } from '../../../src/features/identities/access-reviews.ts';
import { conditionOf, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { StatusError } from '../api/errors.ts';
import type { RequestPath } from '../api/request-path.ts';
import type { ApiRequest, ApiResponse } from '../api/request.ts';
import type { Store } from '../api/store.ts';
import { StubApi } from '../api/stub-api.ts';
import type { Admission } from '../api/writes.ts';
import { isAllowed } from './access-reviews.ts';

/** What the Karmada API knows of its components. */
export interface KarmadaComponents {
  /** Whether a ready Pod of a component exists, such as `karmada-webhook`. */
  hasReadyPod(component: string): boolean;
  /** Kubernetes version of the API server that became ready last. */
  readonly version: () => string;
}

const CLUSTERS = {
  group: 'cluster.karmada.io',
  version: 'v1alpha1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: false,
  hasStatus: true,
};

const CRDS = 'apiextensions.k8s.io/customresourcedefinitions';
const API_SERVICES = 'apiregistration.k8s.io/apiservices';
const WEBHOOKS = 'admissionregistration.k8s.io/validatingwebhookconfigurations';

/** Components that serve an APIService, by the end of the name of its Service. */
const SERVERS = ['karmada-aggregated-apiserver', 'karmada-metrics-adapter', 'karmada-search'];

/** Schemas of CRDs are equal in all control planes, and are kept once. */
const SCHEMAS = new Map<string, unknown>();

function shared(crd: KubernetesObject): KubernetesObject {
  const spec = crd['spec'] as Record<string, unknown>;
  const key = createHash('sha256').update(JSON.stringify(spec['versions'])).digest('base64');
  const versions = SCHEMAS.get(key) ?? spec['versions'];
  SCHEMAS.set(key, versions);
  return { ...crd, spec: { ...spec, versions } };
}

export class KarmadaApi {
  readonly api: StubApi;
  readonly #components: KarmadaComponents;
  #addresses = 0;

  constructor(components: KarmadaComponents, store: Store) {
    this.#components = components;
    const allocations = {
      serviceAddress: () => `10.96.0.${String((this.#addresses += 1))}`,
      nodePort: () => 30_000,
    };
    this.api = new StubApi(
      {
        allocations,
        version: components.version,
        admit: (...given) => this.#admit(...given),
        answer: (request, path) => this.#answer(request, path),
      },
      store,
    );
    store.subscribe((resource, { type, object }) => {
      if (type === 'DELETED') return;
      if (resource === CRDS) setImmediate(() => this.#establish(object));
      if (resource === API_SERVICES) setImmediate(() => this.#checkService(object));
    });
  }

  /** The Pods behind APIServices have changed. */
  recheck(): void {
    for (const object of this.api.store.list(API_SERVICES)) this.#checkService(object);
  }

  #admit: Admission = (object, _, context) => {
    if (object.kind === 'CustomResourceDefinition') return shared(object);
    if (object.kind !== 'PropagationPolicy') return object;
    const [configuration] = this.api.store.list(WEBHOOKS);
    if (configuration === undefined) return object;
    if (!this.#components.hasReadyPod('karmada-webhook'))
      throw new StatusError(
        500,
        'InternalError',
        'Internal error occurred: failed calling webhook',
      );
    const { placement } = object['spec'] as {
      placement?: { spreadConstraints?: readonly { minGroups?: number; maxGroups?: number }[] };
    };
    const isWrong = placement?.spreadConstraints?.some(
      ({ minGroups = 0, maxGroups = Infinity }) => minGroups > maxGroups,
    );
    if (isWrong === true && context.subresource === undefined)
      throw new StatusError(
        ...([403, 'Forbidden'] as const),
        'admission webhook "propagationpolicy.karmada.io" denied the request: maxGroups is less than minGroups',
      );
    return object;
  };

  /** Access reviews follow from the roles, and requests to the aggregated API need its Pod. */
  #answer({ body }: ApiRequest, path: RequestPath | undefined): ApiResponse | undefined {
    if (path?.plural === 'subjectaccessreviews') {
      const review = JSON.parse(body) as KubernetesObject & { readonly spec: AccessReview };
      const status = { allowed: isAllowed(this.api.store, review.spec) };
      return { status: 201, body: { ...review, status } };
    }
    if (path?.group !== CLUSTERS.group) return undefined;
    const service = this.api.store.get(API_SERVICES, `/v1alpha1.${CLUSTERS.group}`);
    if (service === undefined) return undefined;
    if (this.#components.hasReadyPod('karmada-aggregated-apiserver')) return undefined;
    const error = new StatusError(
      503,
      'ServiceUnavailable',
      'the server is currently unable to handle the request',
    );
    return { status: 503, body: error.body };
  }

  #establish(given: KubernetesObject): void {
    const crd = this.api.store.get(CRDS, `/${given.metadata.name}`);
    if (crd === undefined || crd.metadata.deletionTimestamp !== undefined) return;
    this.api.kinds.define(crd);
    const { conditions = [] } = (crd['status'] ?? {}) as {
      conditions?: readonly { type: string }[];
    };
    if (conditions.some(({ type }) => type === 'Established')) return;
    const { names, versions } = crd['spec'] as {
      names: object;
      versions: readonly { name: string }[];
    };
    this.#writeStatus(crd, 'customresourcedefinitions', {
      acceptedNames: names,
      conditions: [condition('NamesAccepted', true), condition('Established', true)],
      storedVersions: versions.slice(-1).map(({ name }) => name),
    });
  }

  #checkService(given: KubernetesObject): void {
    const found = this.api.store.get(API_SERVICES, `/${given.metadata.name}`);
    const component = found && serverOf(found);
    if (found === undefined || component === undefined) return;
    if ((found['spec'] as { group?: string }).group === CLUSTERS.group)
      this.api.kinds.add(CLUSTERS);
    const isAvailable = this.#components.hasReadyPod(component);
    if (conditionOf(found, 'Available')?.status === (isAvailable ? 'True' : 'False')) return;
    this.#writeStatus(found, 'apiservices', { conditions: [condition('Available', isAvailable)] });
  }

  #writeStatus({ apiVersion, metadata }: KubernetesObject, plural: string, status: object): void {
    this.api.handle({
      method: 'PATCH',
      url: `/apis/${apiVersion}/${plural}/${metadata.name}/status`,
      headers: { 'user-agent': 'kube-apiserver', 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status }),
    });
  }
}

/** Component that serves an APIService; undefined for one of the API server itself. */
function serverOf({ spec }: KubernetesObject): string | undefined {
  const { service } = spec as { service?: { name: string } };
  return SERVERS.find((name) => service?.name.endsWith(name.replace('karmada-', '')) === true);
}

const condition = (type: string, isTrue: boolean): object => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason: isTrue ? 'Passed' : 'FailedDiscoveryCheck',
  message: '',
  lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ''),
});
