/** Records of etcd clusters that do not exist yet: pure. */
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { EtcdMembership } from '../../components/component.ts';
import { DATA_VOLUME } from '../../components/etcd/data-volume.ts';
import type { BootstrapDecision } from '../../etcd-cluster/identity/decide-bootstrap.ts';
import { newClusterToken, type EtcdRecord } from '../../etcd-cluster/identity/record.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { Random } from '../../kubernetes/time/clock.ts';

/** Token and PVC template of the cluster that the data belongs to. */
export function givenBefore(
  known: EtcdRecord | undefined,
  volume: string | undefined,
): Pick<EtcdMembership, 'token' | 'volume' | 'peers'> {
  return {
    // The token of an unconfirmed cluster would let members without data start a new cluster.
    ...(known?.state === 'born' && { token: known.token }),
    ...(volume !== undefined && volume !== DATA_VOLUME && { volume }),
    ...(known?.peers && { peers: known.peers }),
  };
}

/** Token and PVC template of a cluster to be created. */
export const givenBy = ({
  token,
  volume,
}: EtcdRecord): Pick<EtcdMembership, 'token' | 'volume'> => ({
  token,
  ...(volume !== undefined && { volume }),
});

/** SHA-256 of the CA that signs certificates of members. */
export const signerOf = ({ etcdAuthorities: [first = ''] }: CertificatesView): string => first;

interface Founding {
  readonly snapshot: Pick<Snapshot, 'karmada'>;
  readonly view: CertificatesView;
  readonly decision: Extract<BootstrapDecision, { kind: 'new' }>;
  readonly known: EtcdRecord | undefined;
}

/** Record of a cluster to be created; keeps the token of an earlier attempt. */
export function unbornRecord(
  random: Random,
  { snapshot, decision: { members, gaveUp }, known, view }: Founding,
): EtcdRecord {
  const { name, namespace = '' } = snapshot.karmada.metadata;
  const isAgain = known?.state === 'unborn' && gaveUp === undefined;
  const token = isAgain
    ? known.token
    : newClusterToken(instanceName(name, 'etcd'), namespace, random);
  const given = [...(known?.startedEmpty ?? []), ...(gaveUp === undefined ? [] : [gaveUp])];
  return {
    state: 'unborn',
    token,
    members,
    ca: signerOf(view),
    ...(given.length > 0 && { startedEmpty: [...new Set(given)] }),
    ...recoveriesOf(known),
  };
}

/** What a new record keeps of former recoveries. */
function recoveriesOf(known: EtcdRecord | undefined): Pick<EtcdRecord, 'volume' | 'recovered'> {
  const { volume, recovered } = known ?? {};
  return { ...(volume !== undefined && { volume }), ...(recovered && { recovered }) };
}

/** Blocks the creation of a cluster without a stored record. */
export function unnoted(bootstrap: EtcdBootstrap, name: string): EtcdBootstrap {
  const secret = instanceName(name, SECRET_SUFFIX.caBackup);
  const message = `Secret ${secret}: the record of the new etcd cluster could not be written, so the cluster is not created; the operator retries`;
  const blockedChange = { step: 'etcd', reason: 'EtcdRecordNotWritten', message } as const;
  return { ...bootstrap, blockedChange, isKept: true, isUnsure: true };
}
