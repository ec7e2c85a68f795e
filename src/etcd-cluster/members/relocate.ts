/**
 * Rule for a single member whose peer URL has another DNS domain, because the domain of the host cluster was corrected: pure. Only
 * the member list has to change: no other member connects to it, and etcd does not compare the list with its flags after its first start.
 */
import { clusterOf } from './cluster.ts';
import { peerURL, podName } from './facts.ts';
import type { Rule } from './step.ts';

/** Lists the only member with the peer URL of its Pod, if the name of this Pod is in its present one. */
export const relocateSingle: Rule = (facts) => {
  const { members, serving } = facts.view;
  const [only] = members;
  const { strangers } = clusterOf(facts);
  if (only === undefined || members.length > 1 || strangers.length !== 1) return undefined;
  const name = podName(facts, 0);
  const isOwn = only.name === name && serving.includes(name) && facts.peers !== 'http';
  if (!isOwn || !only.peerURLs.every((url) => url.startsWith(`https://${name}.`))) return undefined;
  const url = peerURL({ ...facts, peers: 'https' }, 0);
  return {
    kind: 'updatePeerURLs',
    memberId: only.id,
    peerURLs: [url],
    message: `etcd: ${name} gets the peer URL ${url}`,
  };
};
