import { describe, expect, it } from '@jest/globals';
import type { V1SecurityContext } from '@kubernetes/client-node';

import type { PodFields } from '../api/settings.ts';
import { TEMPLATES } from './__fixtures__/golden.ts';
import { ESTIMATORS, FULL, inputOf, MINIMAL, POD_SETTINGS } from './__fixtures__/inputs.ts';
import { renderHost } from './desired.ts';
import { overlayPodFields } from './pod-fields.ts';
import { isWorkload, type Workload } from './workload.ts';

const DEFAULT: V1SecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
};

const workload = (securityContext = DEFAULT): Workload => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'thing' },
  spec: {
    selector: { matchLabels: { app: 'thing' } },
    template: {
      metadata: { labels: { app: 'thing', team: 'a' } },
      spec: {
        securityContext: { fsGroup: 65532, fsGroupChangePolicy: 'OnRootMismatch' },
        containers: [
          { name: 'thing', env: [{ name: 'POD_IP' }], securityContext },
          { name: 'side' },
        ],
      },
    },
  },
});

const podOf = (fields: PodFields, before?: V1SecurityContext) =>
  overlayPodFields(workload(before), fields).spec.template.spec;

const securityOf = (given: V1SecurityContext, before?: V1SecurityContext): unknown =>
  podOf({ securityContext: given }, before).containers[0]?.['securityContext'];

describe('overlayPodFields', () => {
  it.each<[string, PodFields]>([
    ['no field', {}],
    [
      'empty fields',
      {
        nodeSelector: {},
        topologySpreadConstraints: [],
        env: [],
        runtimeClassName: '',
        podSecurityContext: {},
        securityContext: {},
      },
    ],
  ])('leaves the workload unchanged when the user sets %s', (_, fields) => {
    expect(overlayPodFields(workload(), fields)).toEqual(workload());
  });

  it('adds variables after those of the operator, and only to the main container', () => {
    const { containers } = podOf({ env: [{ name: 'A', value: '$(POD_IP)' }] });
    expect(containers.map(({ env }) => env)).toEqual([
      [{ name: 'POD_IP' }, { name: 'A', value: '$(POD_IP)' }],
      undefined,
    ]);
  });

  it('keeps restricted defaults that the user does not set', () => {
    expect(securityOf({ runAsUser: 1, capabilities: { add: ['NET_ADMIN'] } })).toEqual({
      ...DEFAULT,
      runAsUser: 1,
      capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
    });
    expect(podOf({ podSecurityContext: { fsGroup: 1 } })['securityContext']).toEqual({
      fsGroup: 1,
      fsGroupChangePolicy: 'OnRootMismatch',
    });
  });

  it('does not combine runAsNonRoot of the user with a default of root', () => {
    const root = { ...DEFAULT, runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 };
    expect(securityOf({ runAsNonRoot: true }, root)).toEqual(DEFAULT);
    expect(securityOf({ readOnlyRootFilesystem: false }, root)).toEqual({
      ...root,
      readOnlyRootFilesystem: false,
    });
  });

  it('selects the Pods of the workload in a constraint without labelSelector', () => {
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
    const own = { ...constraint, labelSelector: {}, matchLabelKeys: ['a'] };
    const list = [{ ...constraint, matchLabelKeys: ['app', 'b'] }, constraint, own];
    expect(podOf({ topologySpreadConstraints: list })['topologySpreadConstraints']).toEqual([
      { ...constraint, labelSelector: { matchLabels: { app: 'thing' } }, matchLabelKeys: ['b'] },
      { ...constraint, labelSelector: { matchLabels: { app: 'thing' } } },
      own,
    ]);
  });
});

describe('renderHost with podSettings', () => {
  it('changes the workloads of the selected components only', () => {
    const podSettings = [{ ...POD_SETTINGS[0], components: ['karmadaWebhook'] as const }];
    const [before, after] = [FULL, { ...FULL, spec: { ...FULL.spec, podSettings } }].map((input) =>
      renderHost(TEMPLATES, input),
    );
    const changed = (after ?? []).filter(
      (object, index) => JSON.stringify(object) !== JSON.stringify(before?.[index]),
    );
    expect(changed.map(({ metadata }) => metadata.name)).toEqual(['karmada-full-webhook']);
  });

  it('spreads the Pods of each estimator by themselves', () => {
    const addons = { karmadaSchedulerEstimator: {} };
    const input = inputOf({ components: addons, podSettings: POD_SETTINGS });
    const found = renderHost(TEMPLATES, { ...input, estimators: ESTIMATORS })
      .filter(isWorkload)
      .find(({ metadata }) => metadata.name.includes('estimator'));
    expect(found?.spec.template.spec['topologySpreadConstraints']).toMatchObject([
      { labelSelector: { matchLabels: { 'operator.karmada.io/cluster': 'member-1' } } },
      { labelSelector: { matchLabels: { team: 'a' } } },
    ]);
  });

  it('renders the same objects when the list is absent or empty', () => {
    const empty = { ...MINIMAL, spec: { ...MINIMAL.spec, podSettings: [] } };
    expect(JSON.stringify(renderHost(TEMPLATES, empty))).toBe(
      JSON.stringify(renderHost(TEMPLATES, MINIMAL)),
    );
  });
});
