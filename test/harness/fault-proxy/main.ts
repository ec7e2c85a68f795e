/**
 * Runs the fault proxy as a process next to an operator. The folder of this file also contains `plan.json`, and
 * `tls.crt` and `tls.key` to serve the API of the host cluster. Each counted call is printed as one line of JSON.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ControlPlanes } from './control-plane.ts';
import { createDecider, type Decision, type Plan } from './faults.ts';
import { createProxy, keptConnections } from './proxy.ts';

const {
  FAULT_PROXY_PORT,
  FAULT_PROXY_TUNNEL_PORT,
  KUBERNETES_SERVICE_HOST,
  KUBERNETES_SERVICE_PORT,
} = process.env;
const account =
  process.env['FAULT_PROXY_ACCOUNT'] ?? '/var/run/secrets/kubernetes.io/serviceaccount';

const own = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
const plan = JSON.parse(own('plan.json')) as Plan;
const report = (decision: Decision): void =>
  void process.stdout.write(`${JSON.stringify(decision)}\n`);
const common = { namespace: plan.namespace, decide: createDecider(plan), report, delayMs: 3_000 };

const host = {
  host: KUBERNETES_SERVICE_HOST ?? '',
  port: Number(KUBERNETES_SERVICE_PORT ?? 443),
  ca: readFileSync(join(account, 'ca.crt'), 'utf8'),
};
const agent = keptConnections();
createProxy({
  place: 'host',
  ...common,
  tls: { cert: own('tls.crt'), key: own('tls.key') },
  upstreamOf: () => ({ ...host, agent }),
}).listen(Number(FAULT_PROXY_PORT));

const token = async (): Promise<string> => (await readFile(join(account, 'token'), 'utf8')).trim();
const controlPlanes = new ControlPlanes({ ...host, token });
const inside = createProxy({
  place: 'inside',
  ...common,
  tls: controlPlanes.tls,
  upstreamOf: (socket) => controlPlanes.upstreamOf(socket),
});
controlPlanes
  .createTunnel((socket) => inside.emit('connection', socket))
  .listen(Number(FAULT_PROXY_TUNNEL_PORT));

// PID 1 has no default action for SIGTERM.
process.on('SIGTERM', () => process.exit());
