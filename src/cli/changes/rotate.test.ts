import { describe, expect, it } from '@jest/globals';
import { API_VERSION, KIND, type Condition, type Karmada } from '../../api/karmada.ts';
import { ROTATE_ANNOTATION } from '../../pki/rotate-request.ts';
import { rotateDecision, rotateProgress, rotateValue, type ReissueState } from './rotate.ts';

const TIME = '2026-01-02T03:04:05.678Z';
const VALUE = 'leaves/20260102T030405.678Z';

const karmadaOf = (more: Partial<Karmada> = {}): Karmada => ({
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: { namespace: 'team', name: 'demo' },
  spec: {},
  ...more,
});

describe('rotateValue', () => {
  it('has the names and an ID that the operator accepts', () => {
    expect(rotateValue(['leaves'], TIME)).toBe(VALUE);
    const value = rotateValue(['apiserver', 'etcd-peer'], TIME);
    expect(rotateDecision(karmadaOf(), value)).toEqual({
      patch: { metadata: { annotations: { [ROTATE_ANNOTATION]: value } } },
      done: `annotated with ${ROTATE_ANNOTATION}=${value}`,
    });
  });
});

describe('rotateDecision', () => {
  it('accepts all certificates', () => {
    expect(rotateDecision(karmadaOf(), VALUE).patch).toEqual({
      metadata: { annotations: { [ROTATE_ANNOTATION]: VALUE } },
    });
  });

  it('accepts CAs and keys', () => {
    const value = rotateValue(['service-account-key', 'front-proxy-ca', 'etcd-ca'], TIME);
    expect(rotateDecision(karmadaOf(), value).patch).toEqual({
      metadata: { annotations: { [ROTATE_ANNOTATION]: value } },
    });
  });

  const external = { components: { etcd: { external: { endpoints: [], secretRef: {} } } } };
  it.each<[string, string[], Partial<Karmada>, string]>([
    ['an unknown name', ['api-server'], {}, '"api-server" is none of leaves'],
    ['a name twice', ['apiserver', 'apiserver'], {}, 'has a name twice'],
    ['a CA of an external etcd', ['etcd-ca'], { spec: external }, 'has no etcd-ca of the operator'],
    ['a CA together with a certificate', ['etcd-ca', 'apiserver'], {}, 'one after the other'],
    ['a CA of a suspended Karmada', ['etcd-ca'], { spec: { suspend: true } }, 'rotates nothing'],
    ['a name with another ID', ['apiserver/1'], {}, 'the value is not names joined by commas'],
    ['a component that is not installed', ['search-serving'], {}, 'no certificate search-serving'],
    ['an external etcd', ['etcd-peer'], { spec: external }, 'no certificate etcd-peer'],
    [
      'a metrics client that is not issued',
      ['metrics-client'],
      {},
      'no certificate metrics-client',
    ],
    ['a suspended Karmada', ['leaves'], { spec: { suspend: true } }, 'reissues no certificate'],
    [
      'a Karmada that is being deleted',
      ['leaves'],
      { metadata: { name: 'demo', namespace: 'team', deletionTimestamp: TIME } },
      'is being deleted',
    ],
  ])('rejects %s', (_case, names, more, message) => {
    expect(() => rotateDecision(karmadaOf(more), rotateValue(names, TIME))).toThrow(message);
  });
});

describe('rotateProgress', () => {
  const condition = (type: string, status: 'True' | 'False', message = ''): Condition => ({
    ...{ type, status, reason: 'Some', message, lastTransitionTime: TIME },
  });
  const READY = condition('Ready', 'True');
  const progress = (state: Partial<ReissueState>, ...conditions: Condition[]) =>
    rotateProgress(
      karmadaOf({
        metadata: { name: 'demo', annotations: { [ROTATE_ANNOTATION]: VALUE } },
        status: { conditions },
      }),
      VALUE,
      { isAccepted: true, waiting: [], ...state },
    );

  it.each<[string, Partial<ReissueState>, Condition[], string]>([
    ['the operator', { isAccepted: false }, [READY], 'Waiting for the operator'],
    [
      'the operator, which says why',
      { isAccepted: false },
      [condition('CertificatesValid', 'True', 'Secret a is paused')],
      'Waiting for the operator: Secret a is paused',
    ],
    [
      'certificates that must not be reissued yet',
      { waiting: ['apiserver', 'karmada'] },
      [condition('CertificatesValid', 'True', 'because')],
      'Waiting for apiserver, karmada: because',
    ],
    [
      'restarts',
      {},
      [READY, condition('Progressing', 'True', 'karmada-scheduler')],
      'All certificates are reissued. karmada-scheduler',
    ],
  ])('waits for %s', (_case, state, conditions, text) => {
    expect(progress(state, ...conditions)).toEqual({ text });
  });

  it('ends when all certificates are reissued and the control plane is Ready', () => {
    expect(progress({}, READY, condition('Progressing', 'False'))).toEqual({
      text: 'All certificates are reissued, and the control plane is Ready.',
      result: true,
    });
  });

  it('fails if the control plane waits for its user, or another request takes its place', () => {
    expect(() => progress({}, condition('Stalled', 'True', 'do it'))).toThrow(
      'all certificates are reissued, but Karmada /demo: Some: do it',
    );
    expect(() => rotateProgress(karmadaOf(), VALUE, { isAccepted: true, waiting: [] })).toThrow(
      'has another value now',
    );
  });
});
