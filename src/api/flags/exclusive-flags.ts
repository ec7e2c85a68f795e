/**
 * Flags with which a program exits because it accepts only one of them. Derived from the validation of the programs:
 * `pkg/kubeapiserver/options` and `pkg/controlplane/apiserver/options` of kube-apiserver, `cmd/kube-controller-manager/app/options`
 * of kube-controller-manager, Kubernetes v1.29 to v1.37. Pure functions.
 */
import type { FieldError } from '../validation/field-error.ts';
import { quoted } from '../validation/field-error.ts';
import type { Components } from '../karmada.ts';
import type { StringMap } from '../settings.ts';
import { listEntries } from './flag-values.ts';

interface ExclusiveFlags {
  /** Either group of flags may be set, not both. */
  readonly first: RegExp;
  readonly second: RegExp;
}

const EXCLUSIVE: Readonly<Partial<Record<keyof Components, readonly ExclusiveFlags[]>>> = {
  karmadaAPIServer: [
    { first: /^authorization-config$/, second: /^authorization-(mode|webhook-.+)$/ },
    { first: /^authentication-config$/, second: /^oidc-/ },
    {
      first: /^service-account-signing-endpoint$/,
      second: /^service-account-(signing-)?key-file$/,
    },
    { first: /^admission-control$/, second: /^(enable|disable)-admission-plugins$/ },
  ],
  kubeControllerManager: [
    {
      first:
        /^cluster-signing-(kubelet-serving|kubelet-client|kube-apiserver-client|legacy-unknown)-(cert|key)-file$/,
      second: /^cluster-signing-(cert|key)-file$/,
    },
  ],
};

/** Flags with lists of which an entry may be in only one. */
const DISJOINT: Readonly<Partial<Record<keyof Components, readonly [string, string]>>> = {
  karmadaAPIServer: ['enable-admission-plugins', 'disable-admission-plugins'],
};

/** A flag of the template and its value. */
export type TemplateFlag = readonly [name: string, value: string];

/**
 * Returns the flags of a template without those that the flags of the user exclude.
 * @param given flags of the user
 */
export function compatibleFlags(
  component: keyof Components,
  flags: readonly TemplateFlag[],
  given: StringMap,
): readonly TemplateFlag[] {
  const names = Object.keys(given);
  const rules = EXCLUSIVE[component] ?? [];
  const excluded = (name: string): boolean =>
    rules.some(({ first, second }) => {
      const rivals = first.test(name) ? second : second.test(name) ? first : undefined;
      return rivals !== undefined && names.some((other) => rivals.test(other));
    });
  return flags
    .filter(([name]) => Object.hasOwn(given, name) || !excluded(name))
    .flatMap((flag) => withoutRivals(component, flag, given));
}

/** Removes the entries of a list that the other list of the user contains; removes the flag with its last entry. */
function withoutRivals(
  component: keyof Components,
  [name, value]: TemplateFlag,
  given: StringMap,
): readonly TemplateFlag[] {
  const pair: readonly string[] = DISJOINT[component] ?? [];
  const rival = pair.includes(name) ? pair.find((other) => other !== name) : undefined;
  const text = rival !== undefined && Object.hasOwn(given, rival) ? given[rival] : undefined;
  if (text === undefined || Object.hasOwn(given, name)) return [[name, value]];
  const rivals = new Set(listEntries(text));
  const left = listEntries(value).filter((entry) => !rivals.has(entry));
  return left.length === 0 ? [] : [[name, left.join()]];
}

/** Returns an error for flags of one component that exclude each other. @param field `spec.components.<key>` */
export function exclusiveFlags(
  component: keyof Components,
  field: string,
  given: StringMap = {},
): readonly FieldError[] {
  const names = Object.keys(given);
  const both = (EXCLUSIVE[component] ?? []).flatMap(({ first, second }) => {
    const [one, other] = [first, second].map((rule) => names.filter((name) => rule.test(name)));
    if (!one?.length || !other?.length) return [];
    const message = `Invalid value: ${quoted(one.join())}: excludes ${other.join(', ')}, so the program exits at start; remove one of them`;
    return [{ field: `${field}.extraArgs`, message }];
  });
  return [...both, ...overlapping(component, field, given)];
}

function overlapping(
  component: keyof Components,
  field: string,
  given: StringMap,
): readonly FieldError[] {
  const pair = DISJOINT[component];
  if (pair === undefined || !pair.every((name) => Object.hasOwn(given, name))) return [];
  const [one, other] = pair;
  const others = new Set(listEntries(given[other] ?? ''));
  const twice = listEntries(given[one] ?? '').filter((entry) => others.has(entry));
  const message = `Invalid value: ${quoted(twice.join())}: is also in ${other}, so the program exits at start; remove it from one of them`;
  return twice.length === 0 ? [] : [{ field: `${field}.extraArgs.${one}`, message }];
}
