import { describe, expect, it } from '@jest/globals';
import { API_VERSION, KIND, type Condition, type Karmada } from '../../api/karmada.ts';
import { ROTATION_AUTHORITIES, type RotationAuthority } from '../../features/rotation/authority.ts';
import { CONSUMERS } from '../../features/rotation/consumers.ts';
import { labelsOf } from '../../features/rotation/pod-facts.ts';
import { EMPTY_RECORD, type Rotation } from '../../features/rotation/record.ts';
import { ROTATION_RESTARTS } from '../../features/rotation/restarts.ts';
import { authoritiesIn, rotationProgress, rotationText } from './rotate-authorities.ts';

const VALUE = 'etcd-ca/20260102T030405.678Z';

const karmadaOf = (more: Partial<Karmada> = {}): Karmada => ({
  ...{ apiVersion: API_VERSION, kind: KIND },
  metadata: { namespace: 'team', name: 'demo' },
  spec: {},
  ...more,
});

describe('authoritiesIn', () => {
  it.each<[string, readonly string[]]>([
    ['etcd-ca,front-proxy-ca/1', ['front-proxy-ca', 'etcd-ca']],
    ['service-account-key/1', ['service-account-key']],
    ['leaves/1', []],
    ['nothing', []],
  ])('returns what %s names', (value, expected) => {
    expect([...authoritiesIn(value)].sort()).toEqual([...expected].sort());
  });
});

describe('rotationText', () => {
  it.each<[RotationAuthority, Karmada['spec'], string]>([
    ['front-proxy-ca', {}, 'front-proxy-ca: restarts no Pod'],
    [
      'etcd-ca',
      {},
      'etcd-ca: restarts the Pods of etcd once, karmada-apiserver once, karmada-aggregated-apiserver once',
    ],
    ['etcd-ca', { components: { karmadaSearch: {} } }, 'karmada-search once'],
    [
      'service-account-key',
      {},
      'karmada-apiserver up to 3 times, kube-controller-manager once; you end',
    ],
    [
      'ca',
      { components: { karmadaMetricsAdapter: { enabled: false } } },
      'karmada-aggregated-apiserver once, karmada-webhook once, kube-controller-manager once, karmada-controller-manager once, karmada-scheduler up to 2 times; you end',
    ],
  ])('shows the restarts of a rotation of %s with %j', (authority, spec, expected) => {
    const text = rotationText(karmadaOf({ spec }), [authority]);
    expect(text).toContain('Rotation in Karmada team/demo:\n');
    expect(text).toContain(expected);
  });

  it('names only components that use what is rotated', () => {
    const foreign = ROTATION_AUTHORITIES.flatMap((authority) => {
      const users = labelsOf([authority]);
      return Object.keys(ROTATION_RESTARTS[authority] ?? {}).filter(
        (name) => !users.some((user) => user === name),
      );
    });
    expect(foreign).toEqual([]);
  });

  it('names each client that trusts a CA which it reads at its start', () => {
    const rows = CONSUMERS['etcd-ca'].filter((row) => row.restarts ?? row.hasHiddenTrust);
    expect(Object.keys(ROTATION_RESTARTS['etcd-ca'] ?? {})).toHaveLength(rows.length);
  });
});

describe('rotationProgress', () => {
  const rotation: Rotation = {
    ...{ authority: 'etcd-ca', phase: 'Switching', since: 1 },
    ...{ from: 'a'.repeat(64), to: 'b'.repeat(64) },
  };
  const executed = [`rotate=${VALUE}`];
  const condition = (reason: string): Condition => ({
    ...{ type: 'CertificateRotation', status: 'False', reason, message: 'because' },
    lastTransitionTime: '2026-01-02T03:04:05Z',
  });
  const progress = (record: object, reason?: string) =>
    rotationProgress(
      karmadaOf(reason === undefined ? {} : { status: { conditions: [condition(reason)] } }),
      VALUE,
      { ...EMPTY_RECORD, ...record },
    );

  it.each<[string, object, string | undefined, object]>([
    ['waits for the operator', {}, undefined, { text: 'Waiting for the operator' }],
    [
      'waits for another rotation',
      { rotations: [rotation] },
      'Switching',
      { text: 'Waiting for because' },
    ],
    [
      'says what a phase waits for',
      { executed, rotations: [rotation] },
      'OtherChangeInProgress',
      { text: 'Waiting for because' },
    ],
    [
      'ends where only a user goes on',
      { executed, rotations: [rotation] },
      'ConfirmationRequired',
      { text: 'because', result: true },
    ],
    [
      'ends with the rotation',
      { executed },
      undefined,
      { text: 'The rotation has ended.', result: true },
    ],
  ])('%s', (_, record, reason, expected) => {
    expect(progress(record, reason)).toEqual(expected);
  });

  it('fails if the operator refuses the request', () => {
    expect(() => progress({}, 'RotationUnsupported')).toThrow('because');
  });
});
