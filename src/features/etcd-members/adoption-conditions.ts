import type { ConditionDraft } from '../../conditions/conditions.ts';
import { etcdAdoption } from './adopt-etcd.ts';
import type { Cached } from './member-facts.ts';

/** Returns the condition EtcdAdopted; an empty list for an etcd that does not differ from one of this operator. */
export function etcdAdoptionConditions(subject: Cached): readonly ConditionDraft[] {
  const adoption = etcdAdoption(subject);
  if (adoption === undefined || adoption.kind === 'complete') return [];
  return [{ type: 'EtcdAdopted', status: 'False', ...adoption.problem }];
}
