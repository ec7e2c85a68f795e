import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { Log } from '../../kubernetes/clock.ts';
import { createTokenAccount, editSharedTrust, recordRotation } from './execute.ts';

interface Tools {
  readonly host: Pick<Host, 'client'>;
  readonly log: Log;
}

/** Rotations of CAs and of the key that signs ServiceAccount tokens. */
export const rotation = {
  name: 'rotation',
  executors: ({ tools, instance }: ExecutionContext<Tools>) => ({
    recordRotation: (action) => recordRotation(tools, instance.controlPlane, action),
    editSharedTrust: (action) => editSharedTrust(tools, instance.controlPlane, action),
    createTokenAccount: () => createTokenAccount(instance.controlPlane),
  }),
  conditions: ({ snapshot }) => snapshot.rotation?.conditions ?? [],
  msUntilCheck: ({ snapshot, clock }) =>
    Math.max(MIN_MS, (snapshot.rotation?.dueAt ?? Infinity) - clock.wall()),
} satisfies Feature<Tools>;

/** Limits how often Pods are asked. */
const MIN_MS = 1_000;
