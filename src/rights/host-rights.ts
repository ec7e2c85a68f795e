/**
 * Which rights the operator lacks on one host cluster, as after an update of the operator without the newer roles. The
 * API server is asked seldom, and a right that it was not heard about counts as granted: the call itself tells.
 */
import { spread, type Clock, type Log, type Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { errorText } from '../kubernetes/errors.ts';
import { apiVersionOf, resources } from '../kubernetes/resources.ts';
import { isGranted, rightText, type Right, type Rule } from './right.ts';

export interface HostRightsOptions {
  readonly client: Pick<KubernetesClient, 'create'>;
  readonly needed: readonly Right[];
  /** Needed only in the namespaces of control planes: a Role there is enough. */
  readonly neededInNamespaces?: readonly Right[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Who works on the host. */
export interface RightsUsers {
  /** Namespaces of the control planes there. */
  readonly namespaces: () => Iterable<string>;
  /** Other rights are missing than before. */
  readonly onChange: () => void;
}

/** Time between two checks when nothing is missing. */
const REST_MS = 3_600_000;
/** The same while something is missing, and after a call was forbidden. */
const SOON_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** Rules that are bound in one namespace do not count, so the rules of one are asked for in which nothing is bound. */
const NO_NAMESPACE = 'karmada-operator-rights-in-all-namespaces';

/** A right that is missing; with a namespace when it is needed only there. */
interface Missing {
  readonly right: Right;
  readonly namespace?: string;
}

type Review = 'SelfSubjectRulesReview' | 'SelfSubjectAccessReview';
type RulesStatus = { readonly resourceRules?: readonly Rule[] };
type AccessStatus = { readonly allowed?: boolean };

export class HostRights {
  readonly #options: HostRightsOptions;
  #missing: readonly Missing[] = [];
  #checkedAt: number | undefined;
  #isSuspect = false;
  #isChecking = false;
  /** How long the last answer counts. */
  #restMs = 0;

  constructor(options: HostRightsOptions) {
    this.#options = options;
  }

  /** Whether it is known to lack a right. */
  lacks(verb: Right['verb'], resource: string): boolean {
    return this.#missing.some(({ right }) => right.verb === verb && right.resource === resource);
  }

  /** The missing rights that concern a control plane in that namespace, such as `patch persistentvolumeclaims`. */
  missingFor(namespace: string): readonly string[] {
    const concerned = this.#missing.filter(
      ({ namespace: where = namespace }) => where === namespace,
    );
    return concerned.map(({ right }) => rightText(right));
  }

  /** A call was forbidden, or there is a control plane in another namespace: the next look asks sooner. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** Checks when it is time to. To be called again and again; waits for nothing. */
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

  /** @returns whether everything was answered. Never rejects. */
  async #check({ namespaces, onChange }: RightsUsers): Promise<boolean> {
    const { log } = this.#options;
    try {
      const missing = await this.#find([...new Set(namespaces())].sort());
      const before = textsOf(this.#missing);
      this.#missing = missing;
      const now = textsOf(missing);
      if (now.join() === before.join()) return true;
      if (now.length > 0) log.warn({ rights: now }, 'role lacks rights that the operator needs');
      else log.info({}, 'role has all rights that the operator needs');
      onChange();
      return true;
    } catch (error) {
      log.debug({ error: errorText(error) }, 'rights could not be compared');
      return false;
    }
  }

  async #find(namespaces: readonly string[]): Promise<readonly Missing[]> {
    const { needed, neededInNamespaces = [] } = this.#options;
    const rules = await this.#rules();
    const candidates: readonly Missing[] = [
      ...needed.map((right) => ({ right })),
      ...neededInNamespaces.flatMap((right) =>
        namespaces.map((namespace) => ({ right, namespace })),
      ),
    ].filter(({ right }) => !isGranted(right, rules));
    const found: Missing[] = [];
    // One after the other: with a foreign authorizer, which need not tell its rules, these are all of them.
    for (const one of candidates) if (!(await this.#isAllowed(one))) found.push(one);
    return found;
  }

  /** What is bound in the whole cluster. Every authenticated user may ask (ClusterRole system:basic-user). */
  async #rules(): Promise<readonly Rule[]> {
    const spec = { namespace: NO_NAMESPACE };
    const { resourceRules } = await this.#review<RulesStatus>('SelfSubjectRulesReview', spec);
    return resourceRules ?? [];
  }

  /** Rules are a summary, and may be incomplete; this is what a call would be answered. */
  async #isAllowed({ right, namespace }: Missing): Promise<boolean> {
    const { verb, group, name } = right;
    const [resource, subresource] = right.resource.split('/');
    const resourceAttributes = { verb, group, resource, subresource, name, namespace };
    const spec = { resourceAttributes };
    const { allowed } = await this.#review<AccessStatus>('SelfSubjectAccessReview', spec);
    return allowed === true;
  }

  /** @throws ApiError, NetworkError, and Error when the answer is no review */
  async #review<Status extends object>(kind: Review, spec: object): Promise<Status> {
    const apiVersion = apiVersionOf(resources[kind]);
    // The type asks for a name, which reviews have not.
    const review = { apiVersion, kind, metadata: { name: '' }, spec };
    const answer = await this.#options.client.create(review, { timeoutMs: TIMEOUT_MS });
    const { status } = answer as { readonly status?: Status };
    if (status === undefined) throw new Error(`${kind}: the answer has no status`);
    return status;
  }
}

const textsOf = (missing: readonly Missing[]): readonly string[] =>
  missing.map(
    ({ right, namespace }) =>
      rightText(right) + (namespace === undefined ? '' : ` in namespace ${namespace}`),
  );
