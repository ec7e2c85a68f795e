/** Whether rules of RBAC allow what an access review asks: pure. */
import type { Rule } from '../../controlplane/rbac-rules.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { hasValue, isGranted } from '../../permissions/permission.ts';
import type { AccessReview } from './access-reviews.ts';

type Asked = Pick<AccessReview, 'resourceAttributes' | 'nonResourceAttributes'>;

const hasPath = (list: readonly string[] | undefined, path: string): boolean =>
  list?.some(
    (item) => item === path || (item.endsWith('*') && path.startsWith(item.slice(0, -1))),
  ) === true;

/** Whether a rule allows it, within the namespace of its role. */
export function ruleAllows(
  rule: Rule,
  { resourceAttributes, nonResourceAttributes }: Asked,
): boolean {
  return resourceAttributes === undefined
    ? allowsPath(rule, nonResourceAttributes)
    : allowsResource(rule, resourceAttributes);
}

function allowsPath(rule: Rule, asked: Asked['nonResourceAttributes']): boolean {
  const { path = '', verb = '' } = asked ?? {};
  return hasPath(rule.nonResourceURLs, path) && hasValue(rule.verbs, verb);
}

function allowsResource(rule: Rule, asked: NonNullable<Asked['resourceAttributes']>): boolean {
  const { group, resource, subresource, verb, name } = asked;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  return isGranted({ group, resource: whole, verb, ...optionalField('name', name) }, [rule]);
}
