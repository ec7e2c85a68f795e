/** Whether a ResourceQuota with scopes counts a Pod. Pure functions. */
import type { PodSpec } from '../../kubernetes/objects/pod-kinds.ts';

interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Scopes in the spec of a ResourceQuota. */
export interface QuotaScopes {
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
}

/** Returns whether all scopes contain the Pod. Unknown scopes contain none. */
export function inScopes({ scopes = [], scopeSelector }: QuotaScopes, pod: PodSpec): boolean {
  const listed = scopes.map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...listed, ...(scopeSelector?.matchExpressions ?? [])].every((requirement) =>
    isIn(requirement, pod),
  );
}

function isIn({ scopeName, operator, values = [] }: ScopeRequirement, pod: PodSpec): boolean {
  if (scopeName === 'PriorityClass') return hasClass(pod['priorityClassName'], operator, values);
  return SCOPES[scopeName]?.(pod) ?? false;
}

const ends = (pod: PodSpec): boolean => pod['activeDeadlineSeconds'] !== undefined;

/** Without requests and limits of CPU and memory in any container. */
const isBestEffort = ({ containers = [] }: PodSpec): boolean =>
  containers.every(({ resources }) =>
    [resources?.requests, resources?.limits].every(
      (list) => list?.['cpu'] === undefined && list?.['memory'] === undefined,
    ),
  );

const SCOPES: Readonly<Record<string, (pod: PodSpec) => boolean>> = {
  Terminating: ends,
  NotTerminating: (pod) => !ends(pod),
  BestEffort: isBestEffort,
  NotBestEffort: (pod) => !isBestEffort(pod),
};

function hasClass(name: unknown, operator: string, values: readonly string[]): boolean {
  const given = typeof name === 'string' && name !== '';
  const listed = given && values.includes(name);
  const answers: Readonly<Record<string, boolean>> = {
    Exists: given,
    DoesNotExist: !given,
    In: listed,
    NotIn: !listed,
  };
  return answers[operator] ?? false;
}
