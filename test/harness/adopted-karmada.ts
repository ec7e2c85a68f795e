/** A control plane before, during and after its adoption. */
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { instanceName } from '../../src/api/naming.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { getObject } from './cluster.ts';
import type { ControlPlane } from './control-plane.ts';
import type { InstanceAt } from './etcd-members.ts';

/** Returns a condition of the Karmada; undefined if it does not exist. */
export async function conditionOf(
  { cluster, name, namespace }: InstanceAt,
  type: string,
): Promise<Condition | undefined> {
  const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Waits until the condition Adopted has a reason; undefined waits until it is gone. */
export function untilAdopted(
  at: InstanceAt,
  reason: string | undefined,
): Promise<Partial<Condition>> {
  return poll(
    `Adopted has the reason ${reason ?? 'none'}`,
    async (seen) => {
      const found = await conditionOf(at, 'Adopted');
      seen(JSON.stringify(found));
      return found?.reason === reason ? (found ?? {}) : undefined;
    },
    { deadlineMs: 300_000 },
  );
}

/** Arguments of kubectl that confirm the adoption, from the message of the condition. */
export function confirmationIn({ message = '' }: Partial<Condition>): string[] {
  const [, command = ''] = /run "kubectl (annotate [^"]+)"/.exec(message) ?? [];
  return command.split(' ');
}

/** Data of a Secret of the control plane, in base64. */
export async function secretData(
  { cluster, name, namespace }: InstanceAt,
  suffix: string,
): Promise<Record<string, string>> {
  const secret = await getObject<{ data: Record<string, string> }>(
    ...([cluster, 'secret', instanceName(name, suffix), namespace] as const),
  );
  return secret.data;
}

/** Returns the decoded value of a key of a Secret of the control plane; empty if there is none. */
export async function secretText(at: InstanceAt, suffix: string, key: string): Promise<string> {
  return Buffer.from((await secretData(at, suffix))[key] ?? '', 'base64').toString('utf8');
}

/** Creates a ServiceAccount with this name, and a token for it. */
export async function createToken(plane: ControlPlane, account: string): Promise<string> {
  await plane.kubectl(['create', 'serviceaccount', account, '-n', 'default']);
  const token = ['create', 'token', account, '-n', 'default', '--duration=2h'];
  return (await plane.kubectl(token)).trim();
}

/** User of a token according to the API server; empty if the token is not valid. */
export async function userOf(plane: ControlPlane, token: string): Promise<string> {
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token },
  };
  const args = ['create', '-f', '-', '-o', 'jsonpath={.status.user.username}'];
  return (await plane.kubectl(args, JSON.stringify(review))).trim();
}
