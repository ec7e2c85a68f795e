/** Validates resource requests and limits of containers. */
import type { V1ResourceRequirements } from '@kubernetes/client-node';

import { isWhole, parseQuantity } from '../../kubernetes/objects/quantity.ts';
import type { FieldError } from './field-error.ts';
import { checkKeys, checkSyntax, invalid, quoted } from './field-error.ts';
import { qualifiedName, quantity } from './syntax.ts';

const KINDS = ['limits', 'requests'] as const;
const HUGE_PAGES = 'hugepages-';

/** Validates resource requirements. @param field path of the requirements */
export function validateResources(
  field: string,
  resources: V1ResourceRequirements | undefined,
): readonly FieldError[] {
  const syntax = KINDS.flatMap((kind) => [
    ...checkKeys(`${field}.${kind}`, resources?.[kind], qualifiedName),
    ...amounts(resources, kind).flatMap(([name, amount]) =>
      checkSyntax(`${field}.${kind}[${quoted(name)}]`, amount, quantity),
    ),
  ]);
  return syntax.length > 0 ? syntax : validateAmounts(field, resources);
}

/**
 * Validates rules that exceed the CEL cost budget of the CRD. Resources that Kubernetes does not overcommit need equal
 * requests and limits. Huge pages need whole pages, and a cpu or memory request or limit.
 */
function validateAmounts(
  field: string,
  resources: V1ResourceRequirements | undefined,
): readonly FieldError[] {
  const all = KINDS.flatMap((kind) => amounts(resources, kind).map(([name]) => name));
  const lonely = all.some(isHugePages) && !all.some((name) => ['cpu', 'memory'].includes(name));
  const alone = 'Forbidden: huge pages require a request or limit of cpu or memory';
  return [
    ...(lonely ? [{ field, message: alone }] : []),
    ...KINDS.flatMap((kind) =>
      amounts(resources, kind).flatMap(([name, amount]) =>
        validateAmount(`${field}.${kind}[${quoted(name)}]`, name, amount),
      ),
    ),
    ...amounts(resources, 'requests').flatMap(([name, amount]) =>
      compare(`${field}.requests[${quoted(name)}]`, name, amount, resources?.limits?.[name]),
    ),
  ];
}

function amounts(
  resources: V1ResourceRequirements | undefined,
  kind: (typeof KINDS)[number],
): readonly (readonly [string, string])[] {
  return Object.entries(resources?.[kind] ?? {}).map(([name, amount]) => [name, String(amount)]);
}

const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
const isExtended = (name: string): boolean =>
  name.includes('/') && !name.includes('kubernetes.io/');

function validateAmount(field: string, name: string, amount: string): readonly FieldError[] {
  const value = parseQuantity(amount) ?? 0n;
  if (isExtended(name) && !isWhole(value)) return [invalid(field, amount, 'must be an integer')];
  if (!isHugePages(name)) return [];
  const size = parseQuantity(name.slice(HUGE_PAGES.length)) ?? 0n;
  if (size > 0n && value % size === 0n) return [];
  return [invalid(field, amount, 'must be a multiple of the page size')];
}

function compare(
  field: string,
  name: string,
  amount: string,
  limit: string | undefined,
): readonly FieldError[] {
  const value = parseQuantity(amount) ?? 0n;
  const most = limit === undefined ? undefined : parseQuantity(String(limit));
  if (isExtended(name) || isHugePages(name)) {
    return value === most ? [] : [invalid(field, amount, 'must be equal to the limit')];
  }
  if (most === undefined || value <= most) return [];
  return [invalid(field, amount, 'must not exceed the limit')];
}
