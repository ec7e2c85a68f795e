/** Formats `status.etcdCluster` for the preview of a change: pure. */
import type { EtcdClusterStatus, EtcdMemberState } from '../api/karmada.ts';

/** One line for each etcd member; empty for an external etcd. */
export function etcdClusterLines(cluster: EtcdClusterStatus | undefined): readonly string[] {
  return (cluster?.members ?? []).map((member) => memberText(member, cluster?.leader));
}

function memberText(member: EtcdMemberState, leader: string | undefined): string {
  const { name, id, role, version, dbSize, alarms = [] } = member;
  const facts = [
    role.toLowerCase(),
    ...(name !== '' && name === leader ? ['leader'] : []),
    ...(version === undefined ? [] : [version]),
    ...(dbSize === undefined ? [] : [dbSize]),
    ...alarms.map((alarm) => `alarm ${alarm}`),
    ...silenceOf(member),
  ];
  return `${name === '' ? `member ${id}` : name}: ${facts.join(', ')}`;
}

function silenceOf({ message, lastResponseTime }: EtcdMemberState): readonly string[] {
  if (message === undefined) return [];
  const since = lastResponseTime === undefined ? '' : ` since ${lastResponseTime}`;
  return [`does not respond${since} (${message})`];
}
