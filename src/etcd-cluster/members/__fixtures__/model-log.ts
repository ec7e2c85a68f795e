/** Changes of the members in the log of the model, and their conditions. */
import { majorityOf } from '../../../etcd/view.ts';
import { GRACE_MS, Violation, type ModelState } from './model-objects.ts';

/** A change of the members is an entry of the log. The fewest voters that form a quorum have all entries then. */
export function commit(model: ModelState): void {
  const leader = model.members.find(({ id }) => id === model.leader);
  if (leader === undefined) throw new Violation('the members change without a leader');
  if (model.index(leader) < model.acknowledged)
    throw new Violation('the leader lacks acknowledged entries');
  const followers = model.voters().filter((voter) => voter !== leader && model.runs(voter));
  const ahead = [...followers].sort((a, b) => model.index(b) - model.index(a));
  const next = model.index(leader) + 1;
  for (const { ordinal } of [leader, ...ahead].slice(0, majorityOf(model.voters().length))) {
    const disk = model.disks.get(ordinal);
    if (disk) disk.index = next;
  }
  model.acknowledged = next;
}

/** A desired voter leaves only without its data, or when it could not return in the grace period. */
export function requireReason(model: ModelState, id: string): void {
  const member = model.voters().find((one) => one.id === id);
  if (member === undefined || member.ordinal >= model.wanted) return;
  const disk = model.disks.get(member.ordinal);
  if (disk?.owner !== id) return;
  const isLasting = disk.defect !== undefined && disk.defect !== 'nodeUnready';
  if (!isLasting) throw new Violation(`member ${id} is removed although it may return`);
  const { downSince = Infinity } = model.pods.get(member.ordinal) ?? {};
  if (model.now - downSince < GRACE_MS)
    throw new Violation(`member ${id} is removed within the grace period`);
}
