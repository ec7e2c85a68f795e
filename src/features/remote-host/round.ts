import type { Round } from '../../actions/round.ts';
import { prepareRemoteActions } from './remote-host.ts';

/** The namespace and the pull Secrets of a remote host cluster, which all other objects need. */
export const remoteHostRound = {
  name: 'namespace and pull Secrets on a remote host cluster',
  decide: ({ snapshot }) => ({ actions: prepareRemoteActions(snapshot) }),
} satisfies Round<unknown>;
