/** The agent of a member cluster in pull mode. */
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';

const AGENT = 'deployment/karmada-agent';
const where = ['-n', 'karmada-system'];

/** Waits until the newest Pod runs alone. */
async function untilRolledOut(member: Cluster): Promise<void> {
  await kubectl(member, ['rollout', 'status', AGENT, ...where, '--timeout=180s']);
}

/** Stops or starts the agent. */
export async function scaleAgent(member: Cluster, replicas: 0 | 1): Promise<void> {
  await kubectl(member, ['scale', AGENT, ...where, `--replicas=${String(replicas)}`]);
}

/** Starts a new process, which reads the kubeconfig of its Secret. */
export async function restartAgent(member: Cluster): Promise<void> {
  await kubectl(member, ['rollout', 'restart', AGENT, ...where]);
  await untilRolledOut(member);
}

const kubeconfigOf = (member: Cluster): Promise<string> =>
  kubectl(member, [
    ...['get', 'secret', 'karmada-kubeconfig', ...where],
    ...['-o', 'jsonpath={.data.karmada-kubeconfig}'],
  ]);

const FLAGS = ['--controllers=*,certRotation', '--cert-rotation-remaining-time-threshold=1'];

/** Renews the certificate of the agent as docs/operate/rotate-ca.md says: once with flags that renew it at each check, then without. */
export async function renewAgent(member: Cluster): Promise<void> {
  const before = await kubeconfigOf(member);
  const path = '/spec/template/spec/containers/0/command/-';
  const patch = FLAGS.map((value) => ({ op: 'add', path, value }));
  await kubectl(member, [
    ...['patch', AGENT, ...where],
    ...['--type=json', '-p', JSON.stringify(patch)],
  ]);
  await poll(
    'the agent has stored a new certificate',
    async (seen) => {
      const changed = (await kubeconfigOf(member)) !== before;
      seen(`changed: ${String(changed)}`);
      return changed ? true : undefined;
    },
    { deadlineMs: 240_000, intervalMs: 1_000 },
  );
  await kubectl(member, ['rollout', 'undo', AGENT, ...where]);
  await untilRolledOut(member);
}
