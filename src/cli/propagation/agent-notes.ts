/** What to do with the agent of a member cluster in pull mode: pure. The operator and Karmada have no access to it. */
import type { MemberView, PropagationView } from './read-propagation.ts';

/** MEMBER is the context of the member cluster, whose name only its users know. */
const KUBECTL = 'kubectl --context MEMBER -n karmada-system';

/** Returns the lines about the agent of a member cluster in pull mode. */
export function agentNotes(
  { ready, since }: Pick<MemberView, 'ready' | 'since'>,
  { paused, server }: Pick<PropagationView, 'paused' | 'server'>,
): readonly string[] {
  // Karmada does not update the condition while the propagation is paused.
  if (paused || ready === 'True')
    return [
      `its agent is not paused; stop it: ${KUBECTL} scale deployment karmada-agent --replicas 0 (to start it: --replicas 1)`,
    ];
  return [
    `its agent does not report${since === undefined ? '' : ` since ${since}`}; if it is stopped, start it: ${KUBECTL} scale deployment karmada-agent --replicas 1`,
    'if its kubeconfig has a former address of the API server, replace the address:',
    ...addressCommands(server).map((command) => `  ${command}`),
  ];
}

/** An address that the shell does not interpret. Users can write the field of the Karmada from which it comes. */
const SAFE = /^https:\/\/[\w.:[\]-]+$/;

/** Commands that replace the address in the kubeconfig of an agent that `karmadactl register` has installed. */
function addressCommands(server: string): readonly string[] {
  const file = 'agent.kubeconfig';
  const secret = 'karmada-kubeconfig';
  const address = SAFE.test(server) ? server : 'https://ADDRESS';
  return [
    `(umask 077; ${KUBECTL} get secret ${secret} -o jsonpath='{.data.${secret}}' | base64 -d > ${file})`,
    `kubectl --kubeconfig ${file} config set-cluster karmada-apiserver --server '${address}'`,
    `${KUBECTL} create secret generic ${secret} --from-file=${secret}=${file} --dry-run=client -o yaml | ${KUBECTL} replace -f -`,
    `${KUBECTL} rollout restart deployment karmada-agent`,
    `rm ${file}`,
  ];
}
