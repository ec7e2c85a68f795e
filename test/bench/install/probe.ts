// Probes a Karmada API until it is ready. Runs in the network of the node, where Service addresses are reachable.
// Input: one line of JSON, a Target. Output: a line of JSON, a Round, for each changed result and for the success.
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { controlPlaneChecks, type Answer, type Check } from './readiness.ts';

/** Address of a Karmada API, and administrator credentials in PEM. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** CRDs that must be Established. */
  readonly crds: readonly string[];
  /** APIServices that must be Available. */
  readonly apiServices: readonly string[];
}

/** Result of one run of all checks, up to the first failed one. */
export interface Round {
  /** First failed check; absent if all passed. */
  readonly lacks?: string;
  /** Response time of each check, in milliseconds. */
  readonly tookMs: readonly number[];
}

const intervalMs = 100;
const timeoutMs = 5_000;

/** Sends one request without retry. The next round repeats a failed check. */
function send(agent: Agent, target: Target, check: Check): Promise<Answer> {
  const { host, port, serverName: servername } = target;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const { method, path } = check;
    const options = { agent, host, port, servername, method, path, headers, timeout: timeoutMs };
    const call = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      );
    });
    call.on('timeout', () => call.destroy(new Error('no answer')));
    call.on('error', reject);
    call.end(check.body === undefined ? undefined : JSON.stringify(check.body));
  });
}

/** Runs all checks once, up to the first failed one. */
async function ask(agent: Agent, target: Target): Promise<Round> {
  const tookMs: number[] = [];
  for (const check of controlPlaneChecks(target.crds, target.apiServices)) {
    const began = performance.now();
    const answer = await send(agent, target, check).catch((error: unknown) => String(error));
    const lacks = typeof answer === 'string' ? answer : check.missing(answer);
    tookMs.push(Math.round(performance.now() - began));
    if (lacks !== undefined) return { lacks, tookMs };
  }
  return { tookMs };
}

async function watch(target: Target): Promise<void> {
  const { ca, cert, key } = target;
  const agent = new Agent({ keepAlive: true, ca, cert, key });
  for (let last = ''; ; await delay(intervalMs)) {
    const round = await ask(agent, target);
    if (round.lacks !== last) process.stdout.write(`${JSON.stringify(round)}\n`);
    if (round.lacks === undefined) break;
    last = round.lacks;
  }
  agent.destroy();
}

for await (const line of createInterface({ input: process.stdin })) {
  await watch(JSON.parse(line) as Target);
}
