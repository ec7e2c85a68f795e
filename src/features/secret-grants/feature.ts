import type { Feature } from '../../actions/feature.ts';
import type { ObserveContext, SpecFacts } from '../../actions/observers.ts';
import type { SecretPolicy, SecretRefusal } from '../../api/secrets/secret-grant.ts';
import type { Host } from '../../host-clusters/host.ts';
import { isBegun } from '../../instance/begun.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { authorityWarnings } from './secret-warnings.ts';

interface Readers {
  readonly host: Pick<Host, 'client'>;
  readonly secretPolicy: SecretPolicy;
  /** Reason why a new Karmada could not use the host cluster Secret that this Karmada uses. */
  readonly secretWarning?: SecretRefusal;
}

async function observe(
  { tools: { host, secretPolicy, secretWarning } }: ObserveContext<Readers>,
  seen: SpecFacts,
): Promise<Pick<Snapshot, 'secretWarnings'>> {
  const { karmada } = seen;
  const authority = isBegun(seen) ? await authorityWarnings(host, karmada, secretPolicy) : [];
  return { secretWarnings: [...(secretWarning ? [secretWarning] : []), ...authority] };
}

/** Secrets of other namespaces, whose copy stays in use although the operator may no longer read them. */
export const secretGrants = {
  name: 'Secrets of other namespaces',
  observers: { facts: observe },
  warnings: ({ secretWarnings = [], externalEtcd }) =>
    [...secretWarnings, externalEtcd?.check?.notGranted]
      .filter((warning) => warning !== undefined)
      .map(({ reason, message }) => ({
        reason,
        message: `${message}. The control plane keeps using the values that the operator read before.`,
      })),
} satisfies Feature<unknown, Readers>;
