import { describe, expect, it } from '@jest/globals';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import type { EtcdCheck } from '../../external-etcd/check.ts';
import type { StoredData } from '../../external-etcd/stored-data.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { ExternalEtcdSnapshot, HostSnapshot } from '../../instance/snapshot.ts';
import {
  dataField,
  movedDataProblem,
  newDataProblem,
  TAKE_OVER_ANNOTATION,
} from './external-data.ts';

const [OWN, OTHER, HOST] = ['uid-own', 'uid-other', 'uid-host'];
const cluster = (uid: string): StoredData => ({ kind: 'cluster', prefix: '/registry', uid });
const KEYS: StoredData = {
  kind: 'unidentified',
  prefix: '/registry',
  keys: '7',
  clusterID: 'c1',
};
const DENIED: StoredData = { kind: 'denied', prefix: '/registry' };
const NONE: StoredData = { kind: 'none', clusterID: 'c2' };

interface More {
  readonly taken?: string;
  readonly status?: KarmadaStatus;
  /** Flags of the running API server. */
  readonly flags?: readonly string[];
}

const serverWith = (command: readonly string[]): KubernetesObject => {
  const labels = { [COMPONENT]: 'karmada-apiserver' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', command }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { template },
    metadata: { name: 'demo-apiserver', namespace: 'team', labels },
  };
};
const ENDPOINTS = ['https://a:2379', 'https://b:2379'];
/** The API server uses the endpoints of the spec. */
const SAME = { flags: ['--etcd-servers=https://a:2379,https://b:2379'] };

const seen = (
  data: StoredData | undefined,
  { taken, status = {}, flags = ['--etcd-servers=https://old:2379'] }: More = {},
) => {
  const annotations = taken === undefined ? {} : { [TAKE_OVER_ANNOTATION]: taken };
  const metadata = { name: 'demo', namespace: 'team', annotations };
  const check = { outcome: 'served', ...(data && { data }) } as EtcdCheck;
  const externalEtcd = { check, hostUID: HOST } as ExternalEtcdSnapshot;
  const spec = { components: { etcd: { external: { endpoints: ENDPOINTS } } } };
  const host = { objects: [serverWith(flags)] } as unknown as HostSnapshot;
  return { karmada: { metadata, spec, status } as unknown as Karmada, externalEtcd, host };
};
const RECORDED = { status: { etcdDataUID: OWN } };

describe('newDataProblem', () => {
  it('lets a control plane start in an etcd without data, and with its own', () => {
    expect(newDataProblem(seen(NONE))).toBeUndefined();
    expect(newDataProblem(seen(cluster(OWN), RECORDED))).toBeUndefined();
  });

  it.each<[string, StoredData, string]>([
    ['another cluster', cluster(OTHER), OTHER],
    ['unknown keys', KEYS, 'etcd-c1'],
  ])('refuses data of %s until an annotation names exactly this data', (_, data, value) => {
    const { reason, message } = newDataProblem(seen(data)) ?? { reason: '', message: '' };
    expect(reason).toBe('EtcdDataForeign');
    expect(message).toMatch(/^spec\.components\.etcd\.external: /);
    expect(message).toContain('below /registry');
    expect(message).toContain(`annotate --overwrite karmada demo ${TAKE_OVER_ANNOTATION}=${value}`);
    expect(newDataProblem(seen(data, { taken: value }))).toBeUndefined();
    expect(newDataProblem(seen(data, { taken: 'x' }))).toBeDefined();
    expect(newDataProblem(seen(data, { taken: 'true' }))).toBeDefined();
  });

  it('never takes over the data of the host cluster', () => {
    const found = newDataProblem(seen(cluster(HOST), { taken: HOST }));
    expect(found?.message).toContain('this is the etcd of the host cluster itself');
  });

  it('waits for data that could not be read, or must not', () => {
    expect(newDataProblem(seen(undefined))?.reason).toBe('EtcdDataUnread');
    expect(newDataProblem(seen(DENIED))?.message).toContain(
      'may not read the keys below /registry',
    );
  });
});

describe('movedDataProblem', () => {
  it('compares nothing without a record', () => {
    expect(movedDataProblem(seen(cluster(OTHER)))).toBeUndefined();
    expect(movedDataProblem(seen(undefined))).toBeUndefined();
  });

  it('lets a control plane move with its own data only', () => {
    expect(movedDataProblem(seen(cluster(OWN), RECORDED))).toBeUndefined();
    const other = movedDataProblem(seen(cluster(OTHER), RECORDED));
    expect(other?.message).toContain(
      `UID ${OTHER}, and that of this control plane has the UID ${OWN}`,
    );
    expect(movedDataProblem(seen(NONE, RECORDED))?.reason).toBe('EtcdDataMissing');
    expect(movedDataProblem(seen(undefined, RECORDED))?.reason).toBe('EtcdDataUnread');
  });

  it('lets a control plane move to exactly the empty etcd that the annotation names', () => {
    const { message = '' } = movedDataProblem(seen(NONE, RECORDED)) ?? {};
    expect(message).toContain(
      'the etcd cluster c2 has no data, and that of this control plane has',
    );
    expect(message).toContain('; restore a snapshot of this data there, or correct the endpoints');
    expect(message).toContain(`annotate --overwrite karmada demo ${TAKE_OVER_ANNOTATION}=empty-c2`);
    const confirmed = (taken: string) => movedDataProblem(seen(NONE, { ...RECORDED, taken }));
    expect(confirmed('empty-c2')).toBeUndefined();
    expect(confirmed('empty-c1')).toBeDefined();
    expect(confirmed('empty')).toBeDefined();
  });

  it.each<[string, StoredData | undefined]>([
    ['another UID', cluster(OTHER)],
    ['encrypted keys', KEYS],
    ['keys that the client may not read', DENIED],
    ['keys that could not be read', undefined],
    ['no keys', NONE],
  ])(
    'does not keep a control plane from new credentials for the etcd that it uses with %s',
    (_, data) => {
      expect(movedDataProblem(seen(data, { ...RECORDED, ...SAME }))).toBeUndefined();
    },
  );

  it('treats another key prefix as a move', () => {
    const flags = [...SAME.flags, '--etcd-prefix=/other'];
    expect(movedDataProblem(seen(cluster(OTHER), { ...RECORDED, flags }))).toBeDefined();
    const same = [...SAME.flags, '--etcd-prefix=registry/'];
    expect(movedDataProblem(seen(cluster(OTHER), { ...RECORDED, flags: same }))).toBeUndefined();
  });
});

describe('dataField', () => {
  it('records the data of a Ready control plane, and keeps the record otherwise', () => {
    expect(dataField(seen(cluster(OWN), SAME), {}, true)).toEqual({ etcdDataUID: OWN });
    expect(dataField(seen(cluster(OWN), SAME), {}, false)).toEqual({});
    expect(dataField(seen(NONE, SAME), RECORDED.status, true)).toEqual(RECORDED.status);
    expect(dataField(seen(undefined, SAME), RECORDED.status, true)).toEqual(RECORDED.status);
    expect(dataField({ ...seen(NONE), externalEtcd: undefined } as never, {}, true)).toEqual({});
  });

  it('records no data of an etcd to which the API server has not moved', () => {
    expect(dataField(seen(cluster(OTHER)), RECORDED.status, true)).toEqual(RECORDED.status);
    expect(dataField(seen(cluster(OTHER)), {}, true)).toEqual({});
  });
});
