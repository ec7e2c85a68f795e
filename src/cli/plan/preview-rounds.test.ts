import { describe, expect, it } from '@jest/globals';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { given } from '../../etcd-cluster/identity/__fixtures__/founding.ts';
import { START_EMPTY_ANNOTATION } from '../../etcd-cluster/identity/record.ts';
import { pkiInputs } from '../../features/certificates/pki-inputs.ts';
import { snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { EtcdData } from '../../instance/etcd-bootstrap.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Change } from '../simulate-plan.ts';
import { previewRounds, type Preparation } from './preview-rounds.ts';

const DESIRED = wishOf();
const RUNNING = snapshotOf(DESIRED, [...DESIRED.steps]);
const NEW = snapshotOf(DESIRED, []);

const secret = (name: string): Change['object'] => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'team' },
});

const NOTHING: Preparation = {
  adoption: [],
  pki: pkiInputs(NEW, undefined, undefined),
  secrets: [],
};
const SECRETS: readonly Change[] = [
  { what: 'create', cluster: 'host', step: undefined, object: secret('karmada-demo-cert') },
];

const REMOTE = {
  server: 'https://host',
  secret: 'team/host',
  endpoint: 'https://host',
  hasNamespace: true,
  namespaceLabels: {},
};

const dataOf = (facts: Partial<EtcdData['evidence']>): EtcdData => ({
  backup: undefined,
  evidence: {
    karmada: { name: 'karmada-demo', uid: 'u' },
    authorities: [],
    wasReady: false,
    claims: [],
    pods: [],
    volumes: [],
    record: undefined,
    ...facts,
  },
});

async function roundsOf(
  snapshot: Snapshot,
  preparation: Partial<Preparation>,
): Promise<readonly (readonly string[])[]> {
  const { rounds } = await previewRounds(TEMPLATES, snapshot, { ...NOTHING, ...preparation }, VIEW);
  return rounds.map((changes) =>
    changes.map(({ what, object: { kind, metadata } }) => `${what} ${kind} ${metadata.name}`),
  );
}

describe('previewRounds', () => {
  it('shows the first Services and the certificates of a new control plane, in this order', async () => {
    expect(await roundsOf(NEW, { secrets: SECRETS })).toEqual([
      [
        'create Service karmada-demo-etcd',
        'create Service karmada-demo-etcd-client',
        'create Service karmada-demo-apiserver',
      ],
      ['create Secret karmada-demo-cert'],
    ]);
  });

  it('knows the first Services afterwards', async () => {
    const { snapshot } = await previewRounds(TEMPLATES, NEW, NOTHING, VIEW);
    const kinds = snapshot.host.objects.map(({ kind }) => kind);
    expect(kinds).toEqual(['Service', 'Service', 'Service']);
  });

  it('shows the adoption before all others, with the Secret of the CAs last', async () => {
    const label = (name: string) =>
      ({ kind: 'adoptObject', object: secret(name), labels: {} }) as const;
    const adoption = [[label('karmada-demo-webhook-cert')], [label('karmada-demo-cert')]];
    expect(await roundsOf(RUNNING, { adoption, secrets: SECRETS })).toEqual([
      ['change Secret karmada-demo-webhook-cert'],
      ['change Secret karmada-demo-cert'],
      ['create Secret karmada-demo-cert'],
    ]);
  });

  it('shows the namespace and the pull Secrets on a remote host cluster first', async () => {
    const snapshot = snapshotOf(DESIRED, [...DESIRED.steps]);
    const named = ['pull', 'of-another-type'].map((name) => ({ name }));
    const wanted = { ...snapshot, spec: { ...snapshot.spec, imagePullSecrets: named } };
    const pullSecrets = new Set(['pull']);
    const remote = { ...REMOTE, hasNamespace: false };
    expect(await roundsOf(wanted, { remote: { remote, pullSecrets } })).toEqual([
      ['create Namespace team', 'create Secret pull'],
    ]);
    const there = { remote: REMOTE, pullSecrets: new Set<string>() };
    expect(await roundsOf(wanted, { remote: there })).toEqual([]);
  });

  it('shows the record of a new etcd cluster after the CA backup that stores it', async () => {
    const created = { ...SECRETS[0], object: secret('karmada-demo-ca-backup') } as Change;
    const preparation = { secrets: [created], etcdData: dataOf({}) };
    const [, ...rounds] = await roundsOf(NEW, preparation);
    expect(rounds).toEqual([
      ['create Secret karmada-demo-ca-backup'],
      ['change Secret karmada-demo-ca-backup'],
    ]);
    const given = { ...NOTHING, ...preparation };
    const { snapshot } = await previewRounds(TEMPLATES, NEW, given, VIEW);
    expect(snapshot.etcdBootstrap).toBeDefined();
    expect(snapshot.etcdBootstrap?.problem).toBeUndefined();
  });

  it('finds that the data of an etcd without a StatefulSet is lost', async () => {
    const given = { ...NOTHING, etcdData: dataOf({ wasReady: true }) };
    const { rounds, snapshot } = await previewRounds(TEMPLATES, NEW, given, VIEW);
    expect(rounds).toHaveLength(1);
    expect(snapshot.etcdBootstrap?.problem?.reason).toBe('DataLost');
  });

  describe('of a running etcd', () => {
    const record = { state: 'born', token: 't', members: 1, clusterID: 'c1', ca: 'a1' } as const;
    const lostData = given({ record: { ...record, data: ['uid-of-the-lost-volume'] } }).snapshot;
    const { metadata, ...karmada } = lostData.karmada;
    const annotated = (annotations: Readonly<Record<string, string>>): Snapshot => ({
      ...lostData,
      karmada: { ...karmada, metadata: { ...metadata, annotations } },
    });

    it('finds that no member has its data', async () => {
      const { snapshot } = await previewRounds(TEMPLATES, lostData, NOTHING, VIEW);
      expect(snapshot.etcdBootstrap?.problem?.reason).toBe('DataLost');
    });

    it('shows the deletion of the StatefulSet whose data the user gives up', async () => {
      const confirmed = annotated({ [START_EMPTY_ANNOTATION]: 'c1' });
      const { rounds, snapshot } = await previewRounds(TEMPLATES, confirmed, NOTHING, VIEW);
      expect(rounds.at(-1)).toMatchObject([
        { what: 'remove', step: 'etcd', object: { kind: 'StatefulSet' } },
      ]);
      expect(snapshot.etcdBootstrap).toBeUndefined();
    });

    it('gives up no data of another cluster', async () => {
      const rounds = await roundsOf(annotated({ [START_EMPTY_ANNOTATION]: 'c2' }), {});
      expect(rounds.flat().filter((line) => line.startsWith('remove'))).toEqual([]);
    });

    it('claims no loss while the data of a member may exist', async () => {
      const unknown = given({ record }).snapshot;
      const { snapshot } = await previewRounds(TEMPLATES, unknown, NOTHING, VIEW);
      expect(snapshot.etcdBootstrap).toBeUndefined();
    });
  });

  it('shows nothing for a control plane that needs none', async () => {
    expect(await roundsOf(RUNNING, {})).toEqual([]);
  });
});
