import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { KarmadaSpec } from '../../api/karmada.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { ARCHIVE, karmadaOf, snapshotOf, VIEW } from '../../instance/__fixtures__/instance.ts';
import { renderDesiredObjects, type DesiredObjects } from '../../instance/desired-objects.ts';
import type { TenantPods } from '../../components/pod-security.ts';
import { withAllowedPods } from './tenant-pods.ts';

const sidecar = {
  name: 'root',
  image: 'busybox',
  securityContext: { privileged: true },
};
const PRIVILEGED: KarmadaSpec = {
  components: { karmadaAPIServer: { sidecarContainers: [sidecar] as never } },
};
const SERVER = 'Deployment team/karmada-demo-apiserver';

const rendered = (spec: KarmadaSpec): DesiredObjects =>
  renderDesiredObjects(TEMPLATES, {
    name: 'karmada-demo',
    namespace: 'team',
    certificates: VIEW,
    archive: ARCHIVE,
    spec: defaultSpec(spec, { defaultStorageClass: false }),
  });

const judged = (wanted: DesiredObjects, tenantPods: TenantPods, running?: DesiredObjects) => {
  const present = running ?? wanted;
  const snapshot = snapshotOf(present, [...present.steps], { karmada: karmadaOf(PRIVILEGED) });
  const host = running === undefined ? { ...snapshot.host, objects: [] } : snapshot.host;
  return withAllowedPods(wanted, { host, tenantPods });
};

const serverIn = ({ objects }: DesiredObjects) =>
  objects.find(
    ({ object }) =>
      object.metadata.name === 'karmada-demo-apiserver' && object.kind === 'Deployment',
  );

describe('withAllowedPods', () => {
  it('changes nothing without the flag, and nothing that meets the standard', () => {
    const wanted = rendered(PRIVILEGED);
    expect(judged(wanted, 'Any')).toEqual({ desired: wanted, blockedChanges: [] });
    const plain = rendered({});
    expect(judged(plain, 'Restricted')).toEqual({ desired: plain, blockedChanges: [] });
  });

  it('does not create a Deployment with a privileged sidecar, and names the field', () => {
    const { desired, blockedChanges } = judged(rendered(PRIVILEGED), 'Restricted');
    expect(blockedChanges).toMatchObject([{ step: 'karmada-apiserver', reason: 'PodsNotAllowed' }]);
    expect(blockedChanges[0]?.message).toContain(
      `${SERVER}: the operator runs with --tenant-pods=Restricted`,
    );
    expect(blockedChanges[0]?.message).toContain(
      'containers["root"].securityContext.privileged must not be true',
    );
    expect(serverIn(desired)?.untouched).toBe(true);
  });

  it('keeps a Deployment that runs with one, until it changes', () => {
    const running = rendered(PRIVILEGED);
    expect(judged(running, 'Restricted', running).blockedChanges).toEqual([]);
    const changed = rendered({
      components: {
        karmadaAPIServer: { ...PRIVILEGED.components?.karmadaAPIServer, replicas: 3 },
      },
    });
    const { desired, blockedChanges } = judged(changed, 'Restricted', running);
    expect(blockedChanges).toHaveLength(1);
    expect(serverIn(desired)?.hash).toBe(serverIn(running)?.hash);
  });
});
