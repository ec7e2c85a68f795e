/**
 * Validates labels in an affinity and in topology spread constraints. The CRD validates only their structure: eleven
 * copies of each label pattern would make the CRD too large for `kubectl apply`.
 */
import type {
  V1Affinity,
  V1LabelSelector,
  V1NodeSelectorTerm,
  V1PodAffinityTerm,
  V1TopologySpreadConstraint,
} from '@kubernetes/client-node';

import type { FieldError } from './field-error.ts';
import { checkEach, checkKeys, checkSyntax, invalid, quoted } from './field-error.ts';
import { dnsLabel, labelValue, objectName, qualifiedName, type Syntax } from './syntax.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Validates the labels, names and values in an affinity. @param field path of the affinity */
export function validateAffinity(
  field: string,
  affinity: V1Affinity | undefined,
): readonly FieldError[] {
  const nodes = `${field}.nodeAffinity`;
  const { nodeAffinity } = affinity ?? {};
  return [
    ...each(
      `${nodes}.${REQUIRED}.nodeSelectorTerms`,
      nodeAffinity?.[REQUIRED]?.nodeSelectorTerms,
    ).flatMap(([at, term]) => [...nodeTerm(at, term), ...nodeValues(at, term)]),
    // As in Kubernetes, preferred terms may contain values that are not valid label values.
    ...each(`${nodes}.${PREFERRED}`, nodeAffinity?.[PREFERRED]).flatMap(([at, { preference }]) =>
      nodeTerm(`${at}.preference`, preference),
    ),
    ...(['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) => [
      ...each(`${field}.${kind}.${REQUIRED}`, affinity?.[kind]?.[REQUIRED]).flatMap(([at, term]) =>
        podTerm(at, term),
      ),
      ...each(`${field}.${kind}.${PREFERRED}`, affinity?.[kind]?.[PREFERRED]).flatMap(
        ([at, { podAffinityTerm }]) => podTerm(`${at}.podAffinityTerm`, podAffinityTerm),
      ),
    ]),
  ];
}

/** Validates the labels in topology spread constraints. The operator sets a missing label selector. */
export function validateSpread(
  field: string,
  constraints: readonly V1TopologySpreadConstraint[] | undefined,
): readonly FieldError[] {
  return each(field, constraints).flatMap(([at, { labelSelector = {}, matchLabelKeys }]) => [
    ...selector(`${at}.labelSelector`, labelSelector),
    ...labelKeys(at, { labelSelector, ...(matchLabelKeys && { matchLabelKeys }) }),
  ]);
}

/** Entries of a list, each with the field path. */
function each<T>(field: string, list: readonly T[] | undefined): readonly (readonly [string, T])[] {
  return (list ?? []).map((entry, index) => [`${field}[${index}]`, entry] as const);
}

/** Validates a required string. */
function checkOne(field: string, value: string, syntax: Syntax): readonly FieldError[] {
  return syntax.matches(value) ? [] : [invalid(field, value, `must be ${syntax.expected}`)];
}

interface Expression {
  readonly key: string;
  readonly values?: readonly string[];
}

function expressionKeys(
  field: string,
  list: readonly Expression[] | undefined,
): readonly FieldError[] {
  return each(field, list).flatMap(([at, { key }]) => checkOne(`${at}.key`, key, qualifiedName));
}

function expressionValues(
  field: string,
  list: readonly Expression[] | undefined,
): readonly FieldError[] {
  return each(field, list).flatMap(([at, { values }]) =>
    checkEach(`${at}.values`, values, labelValue),
  );
}

function nodeTerm(field: string, term: V1NodeSelectorTerm): readonly FieldError[] {
  return [
    ...expressionKeys(`${field}.matchExpressions`, term.matchExpressions),
    ...each(`${field}.matchFields`, term.matchFields).flatMap(([at, { values }]) =>
      checkEach(`${at}.values`, values, objectName),
    ),
  ];
}

function nodeValues(field: string, term: V1NodeSelectorTerm): readonly FieldError[] {
  return expressionValues(`${field}.matchExpressions`, term.matchExpressions);
}

function selector(field: string, labels: V1LabelSelector | undefined): readonly FieldError[] {
  const { matchLabels, matchExpressions } = labels ?? {};
  return [
    ...checkKeys(`${field}.matchLabels`, matchLabels, qualifiedName),
    ...Object.entries(matchLabels ?? {}).flatMap(([key, value]) =>
      checkSyntax(`${field}.matchLabels[${quoted(key)}]`, value, labelValue),
    ),
    ...expressionKeys(`${field}.matchExpressions`, matchExpressions),
    ...expressionValues(`${field}.matchExpressions`, matchExpressions),
  ];
}

function podTerm(field: string, term: V1PodAffinityTerm): readonly FieldError[] {
  return [
    ...selector(`${field}.labelSelector`, term.labelSelector),
    ...selector(`${field}.namespaceSelector`, term.namespaceSelector),
    ...checkEach(`${field}.namespaces`, term.namespaces, dnsLabel),
    ...checkOne(`${field}.topologyKey`, term.topologyKey, qualifiedName),
    ...labelKeys(field, term),
  ];
}

/** Validates keys whose values Kubernetes takes from the labels of the Pod. */
function labelKeys(
  field: string,
  term: Pick<V1PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>,
): readonly FieldError[] {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const selected = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  const both = new Set(mismatchLabelKeys);
  const lists = { matchLabelKeys, mismatchLabelKeys };
  const remedy = 'labelSelector or mismatchLabelKeys contains it too; remove it here';
  return [
    ...Object.entries(lists).flatMap(([name, keys]) =>
      keys.length > 0 && labelSelector === undefined
        ? [{ field: `${field}.${name}`, message: 'Forbidden: set labelSelector as well' }]
        : checkEach(`${field}.${name}`, keys, qualifiedName),
    ),
    ...matchLabelKeys.flatMap((key, index) =>
      selected.has(key) || both.has(key)
        ? [invalid(`${field}.matchLabelKeys[${index}]`, key, remedy)]
        : [],
    ),
  ];
}
