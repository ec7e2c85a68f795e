import type { SecretPolicy } from '../../api/secrets/secret-grant.ts';
import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { ObserveContext } from '../../actions/observers.ts';
import type { ExternalEtcds } from '../../external-etcd/external-etcds.ts';
import type { Host } from '../../host-clusters/host.ts';
import { dataField } from './external-data.ts';
import { externalEtcdConditions } from './external-etcd-conditions.ts';
import { ETCD_PENDING, etcdProblem, obstacleOf } from './external-etcd.ts';
import { externalWarnings } from './external-etcd-warnings.ts';
import { observeEtcd, type EtcdTools } from './observe-etcd.ts';
import { syncClientSecretCopy } from './client-secret-copy.ts';

interface Tools {
  readonly host: Host;
  readonly secretPolicy: SecretPolicy;
  readonly etcds: Pick<ExternalEtcds, 'again'>;
}

/** An etcd that the operator does not manage. */
export const externalEtcd = {
  name: 'external etcd',
  observers: {
    facts: ({ tools, instance: { key } }: ObserveContext<EtcdTools>, seen) => {
      const externalEtcd = observeEtcd(tools, key, seen);
      return externalEtcd ? { externalEtcd } : {};
    },
  },
  executors: ({ tools, instance, snapshot: { karmada } }: ExecutionContext<Tools>) => ({
    copyEtcdSecret: (action) => {
      const { client, applier } = tools.host;
      const copy = { client, applier, secretPolicy: tools.secretPolicy };
      return syncClientSecretCopy(copy, karmada, action, () => tools.etcds.again(instance.key));
    },
  }),
  awaits: ({ snapshot }) =>
    obstacleOf(snapshot) === undefined ? undefined : { step: 'etcd', message: ETCD_PENDING },
  problem: ({ snapshot }) => etcdProblem(snapshot),
  warnings: externalWarnings,
  conditions: (input) => externalEtcdConditions(input, input.before),
  statusFields: ({ snapshot, before, isReady }) => ({
    ...(snapshot.spec.components.etcd.local === undefined && { etcd: 'external' }),
    ...dataField(snapshot, before, isReady),
  }),
} satisfies Feature<Tools, EtcdTools>;
