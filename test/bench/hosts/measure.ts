import { setTimeout as delay } from 'node:timers/promises';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import type { Mode } from '../../harness/hosts/stand-in.ts';
import type { Environment } from '../../harness/hosts/environment.ts';
import { startLoad, subjectOf } from './load.ts';
import type { Phase, State } from './report.ts';

/** Failure mode of each host cluster, by index. */
const DEATHS: readonly Mode[] = ['mute', 'hole', 'refusing', 'cutting', 'mute'];

export interface Pace {
  /** Duration of a phase. */
  readonly seconds: number;
  /** Interval in which one object of each control plane is deleted. */
  readonly everyMs: number;
}

/** Waits until every stub control plane is installed and every host cluster is reachable. */
export async function allWell({
  management,
  away,
  near,
  hosts,
  condition,
}: Environment): Promise<void> {
  const deadline = { deadlineMs: 180_000 };
  const there = (client: Environment['management'], name: string): Promise<true> =>
    poll(
      `${name} is installed`,
      async (seen) => {
        seen(JSON.stringify(await condition(name, 'Ready')));
        return (await client.find(resources.Service, subjectOf(name))) && true;
      },
      deadline,
    );
  await Promise.all(near.map((name) => there(management, name)));
  for (const name of hosts.keys()) {
    await poll(
      `${name} is reachable`,
      async (seen) => {
        const found = await condition(name, 'HostReachable');
        seen(JSON.stringify(found));
        return found?.status === 'True' ? true : undefined;
      },
      deadline,
    );
    await there(away, name);
  }
}

/** Measures one phase. Host clusters fail after its start, so that active requests fail too, and recover at its end. */
export async function measurePhase(
  environment: Environment,
  { state, round }: { readonly state: State; readonly round: number },
  { seconds, everyMs }: Pace,
): Promise<Phase> {
  await allWell(environment);
  const began = performance.now();
  const load = await startLoad(environment, everyMs);
  if (state === 'dead')
    await turnAll(environment, (index) => DEATHS[index % DEATHS.length] ?? 'mute');
  await delay(seconds * 1000);
  const returns = await load.stop();
  const near = new Set(environment.near.map((name) => `${name}/${name}`));
  const passes = environment
    .operator()
    .passes.flatMap(({ key, began: start, ended }) =>
      near.has(key) && start >= began && ended !== undefined ? [ended - start] : [],
    );
  if (state === 'dead') await turnAll(environment, () => 'well');
  return { state, round, passes, returns };
}

async function turnAll({ hosts }: Environment, modeOf: (index: number) => Mode): Promise<void> {
  await Promise.all([...hosts.values()].map((host, index) => host.turn(modeOf(index))));
}
