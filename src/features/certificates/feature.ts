import type { ActionOf } from '../../actions/action.ts';
import type { Facts, ObserveContext, SpecFacts } from '../../actions/observers.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { Credentials } from '../../control-plane-access/credentials.ts';
import { secureContextOf, type ClientPair, type EtcdClientTls } from '../../etcd/dial.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { CertificatesMemo, InstanceCache } from '../../instance/instance-cache.ts';
import type { AddressesOf } from '../../kubernetes/connection/addresses.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { namespaceOf } from '../../kubernetes/objects/resources.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { CheckInput, ExecutionContext, Feature } from '../../actions/feature.ts';
import { timestamp } from '../status/managed-conditions.ts';
import { certificatesCondition } from './condition.ts';
import { ensureInstanceCertificates, type CertificateTools } from './certificates.ts';
import { awaitedAddress, findApiServerService, pkiInputs } from './pki-inputs.ts';
import {
  CACHE_GRACE_MS,
  changedSecrets,
  confirmSecrets,
  observeCertificates,
} from './observe-certificates.ts';

/** Limits how often certificates are read again that can be renewed only later. */
const MIN_RENEWAL_MS = 1_000;

/** No event signals that a certificate is due. A Secret that the cache does not contain yet is read again soon. */
function msUntilCheck({ instance, snapshot, view, clock }: CheckInput): number {
  const memo = instance.certificates;
  const secrets = snapshot.host.objects.filter(({ kind }) => kind === 'Secret');
  const isUnsure = memo !== undefined && changedSecrets(memo, secrets).length > 0;
  const renewalMs = view && Math.max(MIN_RENEWAL_MS, view.checkAt - clock.wall());
  return Math.min(renewalMs ?? Infinity, isUnsure ? CACHE_GRACE_MS : Infinity);
}

interface Readers {
  readonly host: Pick<Host, 'nodes'>;
  readonly clock: Clock;
}

function observe(
  { host, clock }: Readers,
  memo: CertificatesMemo | undefined,
  seen: SpecFacts,
): Required<Pick<Facts, 'pki' | 'certificates'>> {
  const { karmada, host: there, now, usesAdminPair } = seen;
  const service = findApiServerService(karmada.metadata.name, there.objects);
  const inputs = pkiInputs(seen, service, host.nodes?.cache.list());
  const mayShare = memo === undefined || memo.view.sharesKey === true;
  const pki = mayShare && usesAdminPair ? { ...inputs, holdsAdminPair: true as const } : inputs;
  const secrets = there.objects.filter(({ kind }) => kind === 'Secret');
  confirmSecrets(memo, secrets);
  const monotonic = clock.monotonic();
  return { pki, certificates: observeCertificates(memo, pki, { secrets, now, monotonic }) };
}

interface Tools extends CertificateTools {
  readonly addresses: AddressesOf;
  /** Connects to the API server of the control plane. */
  readonly connect: (instance: InstanceCache, credentials: Credentials) => Promise<void>;
}

/** TLS of the connections to etcd members, whose image the author of the Karmada chooses. */
function tlsOf(
  { addresses }: Pick<Tools, 'addresses'>,
  { key }: Pick<InstanceCache, 'key'>,
  client: ClientPair,
): EtcdClientTls {
  return {
    context: secureContextOf(client),
    ...optionalField('inTurn', addresses(namespaceOf(key)).inTurn),
  };
}

/** Issues the certificates that are due, and connects to the control plane with those that are valid now. */
async function issue(
  { tools, instance }: ExecutionContext<Tools>,
  { inputs, snapshot, createsKey, present }: ActionOf<'issueCertificates'>,
): Promise<Done> {
  const more = { ...(createsKey && { createsKey }), ...optionalField('present', present) };
  const subject = { ...snapshot, ...more };
  const certificates = await ensureInstanceCertificates(tools, inputs, subject);
  if (certificates.outcome === 'ready') {
    const { memo, etcdClient, credentials } = certificates;
    instance.certificates = memo;
    if (etcdClient !== undefined) instance.etcdClient = tlsOf(tools, instance, etcdClient);
    if (credentials !== undefined) await tools.connect(instance, credentials);
  }
  return { certificates };
}

/** The CAs and certificates of a control plane, and the Secrets that contain them. */
export const certificates = {
  name: 'certificates',
  observers: {
    facts: ({ tools, instance: { certificates: memo } }: ObserveContext<Readers>, seen) =>
      observe(tools, memo, seen),
  },
  executors: (context: ExecutionContext<Tools>) => ({
    issueCertificates: (action) => issue(context, action),
  }),
  awaits: ({ view }) =>
    view === undefined
      ? { step: 'certificates', message: 'the certificates are being issued' }
      : undefined,
  // The administrator kubeconfig cannot be issued without the external address.
  unfinished: ({ view, snapshot }) =>
    view?.addressAwaited === true
      ? [{ step: 'exposure', message: awaitedAddress(snapshot), isSeparate: true }]
      : [],
  problem: ({ certificateProblem }) => certificateProblem,
  conditions: (input) => [certificatesCondition(input)],
  statusFields: ({ view }) => (view ? { certificateExpiry: timestamp(view.expiresAt) } : {}),
  msUntilCheck,
} satisfies Feature<Tools, Readers>;
