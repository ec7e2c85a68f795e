import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import { hostFindings, placeIn } from './host-fields.ts';
import { hostWarnings } from './host-warnings.ts';
import { observeRemote, type RemoteReaders } from './observe-remote.ts';
import { copyPullSecret, type PullSecretTools } from './pull-secrets.ts';
import { copyKubeconfig, createNamespace, kubeconfigActions } from './remote-host.ts';

interface Tools extends PullSecretTools {
  readonly host: Host;
  readonly local: Pick<ManagementCluster, 'client' | 'applier'>;
}

/** The namespace and the copied Secrets of a control plane on a remote host cluster. */
export const remoteHost = {
  name: 'remote host',
  observers: { facts: observeRemote },
  decide: kubeconfigActions,
  warnings: hostWarnings,
  conditions: ({ snapshot }) => hostFindings(snapshot),
  statusFields: ({ snapshot }) => placeIn(snapshot),
  executors: ({ tools, snapshot: { karmada } }: ExecutionContext<Tools>) => ({
    createNamespace: (action) => createNamespace(tools.host, action),
    copyPullSecret: (action) => copyPullSecret(tools, karmada, action),
    copyKubeconfig: () => copyKubeconfig(tools.local, tools.host, karmada),
  }),
} satisfies Feature<Tools, RemoteReaders>;
