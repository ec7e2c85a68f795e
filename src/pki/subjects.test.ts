import { describe, expect, it } from '@jest/globals';
import { INPUTS, inDays, issuance, ready, readsOf, request } from './fixture.test-data.ts';
import { ensureCertificates } from './ensure.ts';
import { CLIENT_COMPONENTS } from './inventory.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { ClientComponent, IdentityKind, IdentityPolicy, PkiInputs } from './types.ts';

const OWN: IdentityPolicy = { mayStartOwn: true, decided: {} };
const inputsOf = (identities?: IdentityPolicy): PkiInputs => ({
  ...INPUTS,
  ...(identities && { identities }),
});

const installed = async (identities?: IdentityPolicy) =>
  ready(await ensureCertificates(request({ inputs: inputsOf(identities) }), issuance()));

/** Groups in the client certificates of the components. */
const groupsOf = ({ leaves }: CertificateSetInfo): readonly string[] => [
  ...new Set(
    CLIENT_COMPONENTS.flatMap((name) => leaves[`${name}-client`]?.certificate?.organizations ?? []),
  ),
];

const userOf = ({ leaves }: CertificateSetInfo, name: ClientComponent): string | undefined =>
  leaves[`${name}-client`]?.certificate?.commonName;

const MASTERS_GROUP = 'system:masters';
const COMPONENTS_GROUP = 'system:karmada:components';

describe('identities of components', () => {
  it('are in system:masters in a control plane that may not start with its own', async () => {
    const { info } = await installed();
    expect(groupsOf(info)).toEqual([MASTERS_GROUP]);
    expect(userOf(info, 'kube-controller-manager')).toBe('system:karmada:kube-controller-manager');
  });

  it('are their own in a new control plane', async () => {
    const { info } = await installed(OWN);
    expect(groupsOf(info)).toEqual([COMPONENTS_GROUP]);
    expect(userOf(info, 'kube-controller-manager')).toBe('system:kube-controller-manager');
    expect(userOf(info, 'scheduler')).toBe('system:karmada:scheduler');
    expect(info.leaves.karmada?.certificate?.organizations).toEqual([MASTERS_GROUP]);
  });

  it.each<[string, IdentityPolicy | undefined, IdentityPolicy | undefined, string]>([
    ['keep system:masters with a new operator', undefined, OWN, MASTERS_GROUP],
    ['keep their own without a policy', OWN, undefined, COMPONENTS_GROUP],
  ])('%s, also when they are renewed', async (_, before, after, group) => {
    const first = await installed(before);
    const again = async (now?: Date) =>
      ready(
        await ensureCertificates(
          request({ inputs: inputsOf(after), reads: readsOf(first) }),
          issuance(now),
        ),
      );
    const { plan } = await again();
    expect(plan.leaves.filter(({ action }) => action !== 'keep')).toEqual([]);
    const renewed = await again(inDays(300));
    expect(renewed.plan.leaves.map(({ reason }) => reason)).toContain('Expiring');
    expect(groupsOf(renewed.info)).toEqual([group]);
  });

  it.each<[IdentityKind, IdentityPolicy | undefined]>([
    ['own', undefined],
    ['masters', OWN],
  ])('change for one component alone when it is decided to be %s', async (kind, before) => {
    const first = await installed(before);
    const policy = { mayStartOwn: true, decided: { 'scheduler-client': kind } } as const;
    const next = ready(
      await ensureCertificates(
        request({ inputs: inputsOf(policy), reads: readsOf(first) }),
        issuance(),
      ),
    );
    const issued = next.plan.leaves.filter(({ action }) => action === 'issue');
    expect(issued.map(({ name, reason }) => [name, reason])).toEqual([
      ['scheduler-client', 'SubjectDiffers'],
    ]);
    expect(next.info.leaves['scheduler-client']?.certificate?.organizations).toEqual([
      kind === 'own' ? COMPONENTS_GROUP : MASTERS_GROUP,
    ]);
  });

  it.each<[string, IdentityPolicy | undefined, string]>([
    ['in system:masters while others are', undefined, MASTERS_GROUP],
    ['its own when all others are', OWN, COMPONENTS_GROUP],
  ])('of a missing certificate is %s', async (_, before, group) => {
    const first = await installed(before);
    const reads = { ...readsOf(first), 'search-config': 'absent' as const };
    const { info } = ready(
      await ensureCertificates(request({ inputs: inputsOf(OWN), reads }), issuance()),
    );
    expect(info.leaves['search-client']?.certificate?.organizations).toEqual([group]);
  });

  it.each<[string, IdentityPolicy | undefined, string]>([
    ['in system:masters while others are', undefined, MASTERS_GROUP],
    ['its own when all others are', OWN, COMPONENTS_GROUP],
  ])('of a certificate with another subject is %s', async (_, before, group) => {
    const reads = readsOf(await installed(before));
    const other = reads['webhook-cert'];
    const { info } = ready(
      await ensureCertificates(
        request({ inputs: inputsOf(OWN), reads: { ...reads, 'search-config': other } }),
        issuance(),
      ),
    );
    expect(info.leaves['search-client']?.certificate?.organizations).toEqual([group]);
    expect(groupsOf(info)).toEqual([group]);
  });

  it.each<[string, boolean, string]>([
    ['in system:masters when its Secrets are lost', false, MASTERS_GROUP],
    ['its own when the installation was interrupted', true, COMPONENTS_GROUP],
  ])('with only a CA backup are %s', async (_, isInstalling, group) => {
    const first = await installed(OWN);
    const all = readsOf(first);
    const reads = Object.fromEntries(
      Object.entries(all).map(([role, data]) => [role, role === 'ca-backup' ? data : 'absent']),
    );
    const { info, decision } = ready(
      await ensureCertificates(request({ inputs: inputsOf(OWN), reads, isInstalling }), issuance()),
    );
    expect(decision.decision).toBe('restore');
    expect(groupsOf(info)).toEqual([group]);
  });
});
