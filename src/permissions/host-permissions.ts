/**
 * Detects RBAC permissions that the operator lacks on one host cluster, for example after an operator update without
 * the updated roles. The reviews are rare, to save API calls. A permission without a review result counts as granted:
 * the call itself then fails with 403.
 */
import type { Reviewed } from '../kubernetes/objects/kinds.ts';
import { spread, type Clock, type Log, type Random } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import { apiVersionOf, resources } from '../kubernetes/objects/resources.ts';
import { isGranted, permissionText, valuesIn, type Permission, type Rule } from './permission.ts';

export interface HostPermissionsOptions {
  readonly client: Pick<KubernetesClient, 'create'>;
  readonly needed: readonly Permission[];
  /** Needed only in the namespaces of control planes; a Role in the namespace is sufficient. */
  readonly neededInNamespaces?: readonly Permission[];
  /** Resources that the operator must not read. These permissions are not reported as missing. */
  readonly without?: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Control planes of the host cluster that use the permissions. */
export interface RightsUsers {
  /** Namespaces of the control planes on the host cluster. */
  readonly namespaces: () => Iterable<string>;
  /** Called when the set of missing permissions has changed. */
  readonly onChange: () => void;
}

/** Interval between two checks while no permission is missing. */
const REST_MS = 3_600_000;
/** Interval while a permission is missing, and after a forbidden call. */
const SOON_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** For at most so many permissions in a namespace, access reviews are not more calls than with a rules review. */
const FEW = 2;
/**
 * Values of all rules that are compared with each permission. A host cluster may report millions, which would take long. Without rules, an
 * access review shows each permission.
 */
const MAX_VALUES = 20_000;
/**
 * Namespace without RoleBindings for SelfSubjectRulesReview. A review always has a namespace and includes the rules
 * bound there, but only cluster-wide rules count here.
 */
const NO_NAMESPACE = 'karmada-operator-rights-in-all-namespaces';

/** Missing permission; with a namespace if the operator needs it only in that namespace. */
interface Missing {
  readonly right: Permission;
  readonly namespace?: string;
}

type Review = 'SelfSubjectRulesReview' | 'SelfSubjectAccessReview';
type RulesStatus = { readonly resourceRules?: readonly Rule[] };
type AccessStatus = { readonly allowed?: boolean };

/** Periodic check of the RBAC permissions on one host cluster, with the last result. */
export class HostPermissions {
  readonly #options: HostPermissionsOptions;
  #missing: readonly Missing[] = [];
  #checkedAt: number | undefined;
  #isSuspect = false;
  #isChecking = false;
  /** Validity of the last result in milliseconds. */
  #restMs = 0;

  constructor(options: HostPermissionsOptions) {
    this.#options = options;
  }

  /**
   * Returns true if the last check found that this permission is missing.
   * @param namespace namespace of the object, if the kind has one
   */
  lacks(verb: Permission['verb'], resource: string, namespace?: string): boolean {
    if (this.#options.without?.includes(resource)) return true;
    return this.#missing.some(
      ({ right, namespace: where = namespace }) =>
        right.verb === verb && right.resource === resource && where === namespace,
    );
  }

  /** Returns the missing permissions for a control plane in a namespace, such as `patch persistentvolumeclaims`. */
  missingFor(namespace: string): readonly string[] {
    const concerned = this.#missing.filter(
      ({ namespace: where = namespace }) => where === namespace,
    );
    return concerned.map(({ right }) => permissionText(right));
  }

  /** Shortens the interval to the next check, after a forbidden call or for a control plane in a new namespace. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** Starts a check in the background if the interval has passed. Call it periodically; it returns immediately. */
  look(users: RightsUsers): void {
    const { clock, random } = this.#options;
    const age = clock.monotonic() - (this.#checkedAt ?? -Infinity);
    if (this.#isChecking || age < (this.#isSuspect ? SOON_MS : this.#restMs)) return;
    this.#isChecking = true;
    this.#isSuspect = false;
    void this.#check(users).then((isComplete) => {
      this.#isChecking = false;
      this.#checkedAt = clock.monotonic();
      const isWell = isComplete && this.#missing.length === 0;
      this.#restMs = spread(isWell ? REST_MS : SOON_MS, random);
    });
  }

  /** @returns whether all reviews succeeded. Never rejects. */
  async #check({ namespaces, onChange }: RightsUsers): Promise<boolean> {
    const { log } = this.#options;
    try {
      const missing = await this.#find([...new Set(namespaces())].sort());
      const before = textsOf(this.#missing);
      this.#missing = missing;
      const now = textsOf(missing);
      if (now.join() === before.join()) return true;
      if (now.length > 0) log.warn({ rights: now }, 'operator lacks RBAC permissions');
      else log.info({}, 'operator has all required RBAC permissions');
      onChange();
      return true;
    } catch (error) {
      log.debug({ error: errorText(error) }, 'RBAC permission check failed');
      return false;
    }
  }

  async #find(namespaces: readonly string[]): Promise<readonly Missing[]> {
    const { needed } = this.#options;
    const rules = await this.#rules(NO_NAMESPACE);
    const ofCluster = needed.map((right) => ({ right }));
    const found = await this.#denied(ofCluster.filter(({ right }) => !isGranted(right, rules)));
    // Sequential: an external authorizer may return no rules, and then every permission is a candidate.
    for (const namespace of namespaces) found.push(...(await this.#findIn(namespace, rules)));
    return found;
  }

  async #findIn(namespace: string, ofCluster: readonly Rule[]): Promise<readonly Missing[]> {
    const { neededInNamespaces = [] } = this.#options;
    const lacked = (rights: readonly Permission[], rules: readonly Rule[]): readonly Permission[] =>
      rights.filter((right) => !isGranted(right, rules));
    const left = lacked(neededInNamespaces, ofCluster);
    const own = left.length > FEW ? lacked(left, await this.#rules(namespace)) : left;
    return this.#denied(own.map((right) => ({ right, namespace })));
  }

  async #denied(candidates: readonly Missing[]): Promise<Missing[]> {
    const found: Missing[] = [];
    for (const one of candidates) if (!(await this.#isAllowed(one))) found.push(one);
    return found;
  }

  /**
   * Returns the rules for a namespace, which include those for the cluster. Each authenticated user may create this
   * review (ClusterRole system:basic-user).
   */
  async #rules(namespace: string): Promise<readonly Rule[]> {
    const spec = { namespace };
    const { resourceRules } = await this.#review<RulesStatus>('SelfSubjectRulesReview', spec);
    const rules = resourceRules ?? [];
    return valuesIn(rules) > MAX_VALUES ? [] : rules;
  }

  /** Checks one permission. Why: a rules review may be incomplete, while an access review gives the actual decision. */
  async #isAllowed({ right, namespace }: Missing): Promise<boolean> {
    const { verb, group, name } = right;
    const [resource, subresource] = right.resource.split('/');
    const resourceAttributes = { verb, group, resource, subresource, name, namespace };
    const spec = { resourceAttributes };
    const { allowed } = await this.#review<AccessStatus>('SelfSubjectAccessReview', spec);
    return allowed === true;
  }

  /** @throws ApiError, NetworkError, or Error if the response has no status */
  async #review<Status extends object>(kind: Review, spec: object): Promise<Status> {
    const apiVersion = apiVersionOf(resources[kind]);
    // The TypeScript type requires a name, but reviews have none.
    const review = { apiVersion, kind, metadata: { name: '' }, spec };
    const options = { timeoutMs: TIMEOUT_MS };
    const { status } = await this.#options.client.create<Reviewed<Status>>(review, options);
    if (status === undefined) throw new Error(`${kind}: the response has no status`);
    return status;
  }
}

const textsOf = (missing: readonly Missing[]): readonly string[] =>
  missing.map(
    ({ right, namespace }) =>
      permissionText(right) + (namespace === undefined ? '' : ` in namespace ${namespace}`),
  );
