/** The table of endpoint flags, and the flags and probes of the templates. */
import type { V1Probe } from '@kubernetes/client-node';
import { describe, expect, it } from '@jest/globals';
import { factsByName } from '../api/component-catalog.ts';
import { ENDPOINT_FLAGS, PROBED_PATHS } from '../api/flags/endpoint-flags.ts';
import type { ComponentKey } from '../api/karmada.ts';
import { TEMPLATES } from './__fixtures__/golden.ts';
import { ADDONS, ESTIMATORS, inputOf } from './__fixtures__/inputs.ts';
import type { Component } from './component.ts';
import { renderComponent } from './desired.ts';
import { COMPONENTS } from './registry.ts';
import { isWorkload, type Container } from './workload.ts';

const KEY = factsByName('key');

const containerOf = (component: Component, extraArgs?: object): Container | undefined => {
  const components = { ...ADDONS, ...(extraArgs && { karmadaAPIServer: { extraArgs } }) };
  const input = { ...inputOf({ components } as never), estimators: ESTIMATORS };
  return renderComponent(TEMPLATES, component, input).find(isWorkload)?.spec.template.spec
    .containers[0];
};

function endpointOf({ httpGet, tcpSocket }: V1Probe = {}): {
  readonly port?: unknown;
  readonly path?: string;
} {
  return {
    port: (httpGet ?? tcpSocket)?.port,
    ...(httpGet?.path && { path: httpGet.path.replace(/\?.*$/, '') }),
  };
}

const others = COMPONENTS.filter(({ name }) => name !== 'etcd');

describe.each(others.map((component) => [component.name, component] as const))(
  '%s',
  (name, component) => {
    const key = KEY[name] as ComponentKey;
    const container = containerOf(component);

    it('has the ports of the table in its flags', () => {
      for (const { flag, port } of ENDPOINT_FLAGS[key]) {
        const value = container?.command?.find((item) => item.startsWith(`--${flag}=`));
        // kube-controller-manager has its port by default.
        if (value !== undefined && port !== undefined)
          expect(value).toMatch(new RegExp(`[=:]${String(port)}$`));
      }
    });

    it('has probes on a port and on paths of the table', () => {
      const ports = ENDPOINT_FLAGS[key].flatMap(({ port }) => port ?? []);
      expect(ports).toContain(endpointOf(container?.startupProbe).port);
      const { port, path = '' } = endpointOf(container?.readinessProbe);
      expect(ports).toContain(port);
      const paths = PROBED_PATHS[key] ?? [path];
      expect(paths).toContain(path);
    });
  },
);

describe('karmada-apiserver', () => {
  const [component] = COMPONENTS.filter(({ name }) => name === 'karmada-apiserver');
  if (component === undefined) throw new Error('no karmada-apiserver');

  it('has TCP probes when it rejects requests without credentials', () => {
    const container = containerOf(component, { 'anonymous-auth': 'false' });
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      expect(container?.[probe]).toMatchObject({ tcpSocket: { port: 5443 } });
    expect(containerOf(component)).toMatchObject({ readinessProbe: { httpGet: { port: 5443 } } });
  });

  it('has no authorization mode with a file of authorizers', () => {
    const command = containerOf(component, { 'authorization-config': '/etc/a.yaml' })?.command;
    expect(command?.filter((item) => item.startsWith('--authorization'))).toEqual([
      '--authorization-config=/etc/a.yaml',
    ]);
  });
});
