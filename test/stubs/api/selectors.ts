/** Label and field selectors. Pure functions. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';

export type Matches = (object: KubernetesObject) => boolean;

const ALL: Matches = () => true;

/** Splits at commas outside parentheses. */
const requirementsOf = (selector: string): string[] =>
  selector.split(/,(?![^(]*\))/).map((part) => part.trim());

/** Parses a label selector such as `a=b,c in (d,e),!f`. */
export function labelMatcher(selector: string | null | undefined): Matches {
  if (selector === null || selector === undefined || selector === '') return ALL;
  const tests = requirementsOf(selector).map(labelRequirement);
  return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
}

type Labels = Readonly<Record<string, string>>;

function labelRequirement(text: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    const isIn = operator === 'in';
    return (labels) => values.has(labels[key] ?? '\0') === isIn;
  }
  const [, key = '', operator, value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(text) ?? [];
  if (operator === '!=') return (labels) => labels[key] !== value;
  if (operator !== undefined) return (labels) => labels[key] === value;
  if (text.startsWith('!')) return (labels) => labels[text.slice(1)] === undefined;
  return (labels) => labels[text] !== undefined;
}

/** Parses a field selector such as `metadata.name=a,status.phase!=Running`. A missing field equals the empty text. */
export function fieldMatcher(selector: string | null | undefined): Matches {
  if (selector === null || selector === undefined || selector === '') return ALL;
  const tests = requirementsOf(selector).map((text): Matches => {
    const [, path = '', operator, value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(text) ?? [];
    const steps = path.split('.');
    return (object) => (textAt(object, steps) === value) === (operator !== '!=');
  });
  return (object) => tests.every((test) => test(object));
}

function textAt(object: unknown, steps: readonly string[]): string {
  let value = object;
  for (const step of steps) value = (value as Record<string, unknown> | undefined)?.[step];
  return String(value ?? '');
}

/** Whether labels contain all labels of `spec.selector` or `matchLabels`; false for an empty selector. */
export function selectsLabels(selector: Labels | undefined, labels: Labels | undefined): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels?.[key] === value);
}
