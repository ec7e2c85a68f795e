import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { Log } from '../../kubernetes/time/clock.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import { nextDueAt } from './due.ts';
import { createTokenAccount, editSharedTrust, recordRotation } from './execute.ts';
import { deleteRequest, requestCertificate } from './execute-request.ts';
import { rotationPolicy } from './policy.ts';

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
    const { spec, remote, rotation: found } = snapshot;
    const isCustom = spec.customCertificate?.apiServerCACert !== undefined;
    const input = { policy: rotationPolicy(spec), view, isRemote: remote !== undefined, isCustom };
    const now = clock.wall();
    return Math.max(MIN_MS, Math.min(found?.dueAt ?? Infinity, nextDueAt(input, now)) - now);
  },
} satisfies Feature<Tools>;

/** Limits how often Pods are asked. */
const MIN_MS = 1_000;
