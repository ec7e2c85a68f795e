import { describe, expect, it } from '@jest/globals';

import type { CommonSettings } from '../api/settings.ts';
import type { UserFields } from './component.ts';
import { overlayService, overlayWorkload } from './overlay.ts';
import type { Workload } from './workload.ts';

const WORKLOAD: Workload = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'thing', labels: { 'app.kubernetes.io/name': 'thing' } },
  spec: {
    selector: { matchLabels: { 'app.kubernetes.io/name': 'thing' } },
    template: {
      metadata: { labels: { 'app.kubernetes.io/name': 'thing' } },
      spec: {
        tolerations: [{ key: 'ours' }],
        affinity: { podAntiAffinity: {} },
        containers: [{ name: 'thing', command: ['thing'], resources: { requests: { cpu: '1m' } } }],
        volumes: [{ name: 'ours', emptyDir: {} }],
      },
    },
  },
};

function overlay(settings: CommonSettings, fields: UserFields = {}): Workload {
  return overlayWorkload(WORKLOAD, {
    component: 'karmadaWebhook',
    settings,
    fields,
    certificatesHash: undefined,
  });
}

describe('overlayWorkload', () => {
  it('returns the template unchanged when the user sets no field', () => {
    expect(overlay({})).toMatchObject({ ...WORKLOAD });
    expect(overlay({}).metadata).toEqual(WORKLOAD.metadata);
  });

  it('returns the template unchanged when the user sets empty lists and maps', () => {
    const empty = overlay(
      { labels: {}, annotations: {}, tolerations: [], resources: {} },
      { extraArgs: {}, sidecarContainers: [], volumes: [], volumeMounts: [], volumeClaims: [] },
    );
    expect(empty).toEqual(overlay({}));
  });

  it('keeps the labels of the operator when the user sets the same labels', () => {
    const { metadata, spec } = overlay({
      labels: { 'app.kubernetes.io/name': 'other', team: 'a' },
    });
    const labels = { 'app.kubernetes.io/name': 'thing', team: 'a' };
    expect(metadata.labels).toEqual(labels);
    expect(spec.template.metadata.labels).toEqual(labels);
    expect(spec.selector).toEqual(WORKLOAD.spec.selector);
  });

  it('keeps the certificates hash when the user sets the same annotation', () => {
    const annotation = 'operator.karmada.io/certificates-hash';
    const changed = overlayWorkload(WORKLOAD, {
      component: 'karmadaWebhook',
      settings: { annotations: { [annotation]: 'mine', team: 'a' } },
      fields: {},
      certificatesHash: 'real',
    });
    expect(changed.spec.template.metadata.annotations).toEqual({ [annotation]: 'real', team: 'a' });
  });

  it('replaces tolerations, affinity and resources of the template', () => {
    const pod = overlay({
      tolerations: [{ key: 'theirs' }],
      affinity: {},
      resources: { limits: { cpu: '1' } },
    }).spec.template.spec;
    expect(pod['tolerations']).toEqual([{ key: 'theirs' }]);
    expect(pod['affinity']).toEqual({});
    expect(pod.containers[0]?.resources).toEqual({ limits: { cpu: '1' } });
  });

  it('appends sidecars, volumes and mounts of the user to those of the template', () => {
    const { spec } = overlay(
      {},
      {
        sidecarContainers: [{ name: 'side' }],
        volumes: [{ name: 'theirs', emptyDir: {} }],
        volumeMounts: [{ name: 'theirs', mountPath: '/theirs' }],
        volumeClaims: [{ metadata: { name: 'claim' }, spec: {} }],
      },
    );
    const pod = spec.template.spec;
    expect(pod.containers.map(({ name }) => name)).toEqual(['thing', 'side']);
    expect(pod.volumes?.map(({ name }) => name)).toEqual(['ours', 'theirs']);
    expect(pod.containers[0]?.volumeMounts).toEqual([{ name: 'theirs', mountPath: '/theirs' }]);
    expect(spec['volumeClaimTemplates']).toEqual([{ metadata: { name: 'claim' }, spec: {} }]);
  });

  it('keeps label keys that are special property names in JavaScript', () => {
    const labels = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
    expect(JSON.stringify(overlay({ labels }).metadata.labels)).toContain('"__proto__":"a"');
  });

  it('adds annotations and a load balancer class to a Service only when the user sets them', () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'thing' },
      spec: { type: 'LoadBalancer' },
    };
    expect(overlayService(service, {})).toEqual(service);
    expect(
      overlayService(service, { annotations: { a: 'b' }, loadBalancerClass: 'example.com/c' }),
    ).toEqual({
      ...service,
      metadata: { name: 'thing', annotations: { a: 'b' } },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'example.com/c' },
    });
  });
});
