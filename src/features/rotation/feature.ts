import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { Log } from '../../kubernetes/time/clock.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import { nextDueAt } from './due.ts';
import { createTokenAccount, editSharedTrust, recordRotation } from './execute.ts';
import { deleteRequest, requestCertificate } from './execute-request.ts';

interface Tools {
  readonly host: Pick<Host, 'client'>;
  readonly keys: KeyGenerator;
  readonly log: Log;
}

/** Rotations of CAs and of the key that signs ServiceAccount tokens. */
export const rotation = {
  name: 'rotation',
  executors: ({ tools, instance }: ExecutionContext<Tools>) => ({
    recordRotation: (action) => recordRotation(tools, instance.controlPlane, action),
    editSharedTrust: (action) => editSharedTrust(tools, instance.controlPlane, action),
    createTokenAccount: () => createTokenAccount(instance.controlPlane),
    requestCertificate: (action) => requestCertificate(tools, instance.controlPlane, action),
    deleteRequest: (action) => deleteRequest(instance.controlPlane, action),
  }),
  conditions: ({ snapshot }) => snapshot.rotation?.conditions ?? [],
  statusFields: ({ snapshot: { rotation: found } }) =>
    found?.status === undefined ? {} : { certificateRotation: found.status },
  msUntilCheck: ({ snapshot, view, clock }) => {
    const now = clock.wall();
    const dueAt = Math.min(
      snapshot.rotation?.dueAt ?? Infinity,
      nextDueAt({ snapshot, view }, now),
    );
    return Math.max(MIN_MS, dueAt - now);
  },
} satisfies Feature<Tools>;

/** Limits how often Pods are asked. */
const MIN_MS = 1_000;
