import type { Round } from '../../actions/round.ts';
import { copyEtcdSecretAction, withCopied } from './client-secret-copy.ts';
import { obstacleOf } from './external-etcd.ts';

/** The copied client Secret of an external etcd. A new control plane waits until its etcd has passed a health check. */
export const externalEtcdRound = {
  name: 'client Secret of an external etcd',
  decide: ({ snapshot }) => ({
    actions: copyEtcdSecretAction(snapshot),
    learn: (result) => {
      const copied = withCopied(snapshot, result);
      return { snapshot: copied, ...(obstacleOf(copied) !== undefined && { isBlocked: true }) };
    },
  }),
} satisfies Round<unknown>;
