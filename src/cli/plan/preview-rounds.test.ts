import { describe, expect, it } from '@jest/globals';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { pkiInputs } from '../../features/certificates/pki-inputs.ts';
import { snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
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

async function roundsOf(
  snapshot: Snapshot,
  preparation: Partial<Preparation>,
): Promise<readonly (readonly string[])[]> {
  const { rounds } = await previewRounds(TEMPLATES, snapshot, { ...NOTHING, ...preparation });
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
    const { snapshot } = await previewRounds(TEMPLATES, NEW, NOTHING);
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

  it('shows nothing for a control plane that needs none', async () => {
    expect(await roundsOf(RUNNING, {})).toEqual([]);
  });
});
