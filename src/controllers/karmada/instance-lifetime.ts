/** Begin and end of what the operator keeps in memory and polls for one control plane. */
import type { ConvergeTools } from './converge.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';

type Polling = Pick<ConvergeTools, 'archives' | 'etcds' | 'etcdMembers' | 'eventReader'>;

/** Stops background work for a control plane while the operator does not work on its Karmada. */
export function stopPolling(tools: Polling, key: string): void {
  const { archives, etcds, etcdMembers, eventReader } = tools;
  archives.forget(key);
  etcds.forget(key);
  etcdMembers.forget(key);
  eventReader.forget(key);
}

/** Returns the cache of a control plane. Discards it if the connection to the host cluster was replaced. */
export async function instanceOn(
  { instances, host }: Pick<ConvergeTools, 'instances' | 'host'>,
  key: string,
): Promise<InstanceCache> {
  const known = instances.get(key);
  if (known.host !== undefined && known.host !== host) await instances.reset(key);
  const instance = instances.get(key);
  instance.host = host;
  return instance;
}
