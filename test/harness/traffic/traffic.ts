import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { load } from 'js-yaml';
import type { Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import { inNode } from '../../../tools/embedded-cluster/node.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { Target } from './calls.ts';
import type { TrafficReport } from './report.ts';

interface Kubeconfig {
  clusters: {
    cluster: {
      server: string;
      'tls-server-name': string;
      'certificate-authority-data': string;
    };
  }[];
  users: { user: { 'client-certificate-data': string; 'client-key-data': string } }[];
}

/** Clients that call a control plane continuously. */
interface Traffic {
  /** Stops the clients and returns their report. */
  end(): Promise<TrafficReport>;
}

const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

async function targetOf(kubeconfig: string): Promise<Omit<Target, 'callsPerSecond'>> {
  const { clusters, users } = load(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  const [entry, user] = [clusters[0]?.cluster, users[0]?.user];
  if (entry === undefined || user === undefined) throw new Error(`${kubeconfig} names no cluster`);
  const { hostname, port } = new URL(entry.server);
  return {
    host: hostname,
    port: Number(port),
    serverName: entry['tls-server-name'],
    ca: decoded(entry['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  };
}

/**
 * Starts three kinds of clients (kept connection, new connection per call, watch). The former two send so many
 * calls per second each, as long as the machine can process them. The calls go to the API server, karmada-aggregated-apiserver
 * and karmada-webhook.
 */
async function startTraffic(
  cluster: Cluster,
  plane: ControlPlane,
  callsPerSecond: number,
): Promise<Traffic> {
  const program = new URL('./main.ts', import.meta.url).pathname;
  const warnings = '--disable-warning=ExperimentalWarning';
  const [file = '', ...args] = inNode(cluster.node, [process.execPath, warnings, program]);
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the traffic clients ended before the test');
    return line.value;
  };
  const target: Target = { ...(await targetOf(plane.kubeconfig)), callsPerSecond };
  child.stdin.write(`${JSON.stringify(target)}\n`);
  await next();
  return {
    async end() {
      child.stdin.end();
      return JSON.parse(await next()) as TrafficReport;
    },
  };
}

/**
 * Runs clients while `work` runs.
 * @param callsPerSecond of each of two clients; each third call creates a ConfigMap that stays
 * @returns their report
 */
export async function underTraffic(
  cluster: Cluster,
  plane: ControlPlane,
  work: () => Promise<void>,
  callsPerSecond = 24,
): Promise<TrafficReport> {
  const traffic = await startTraffic(cluster, plane, callsPerSecond);
  try {
    await work();
  } catch (error) {
    // Otherwise the process would outlive the failed test.
    await traffic.end();
    throw error;
  }
  return traffic.end();
}
