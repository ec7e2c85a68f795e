import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CATALOG } from '../../api/component-catalog.ts';
import { TEMPLATES } from '../__fixtures__/golden.ts';
import { inputOf } from '../__fixtures__/inputs.ts';
import type { ComponentName } from '../component.ts';
import { renderComponent } from '../desired.ts';
import { COMPONENTS } from '../registry.ts';
import { isWorkload } from '../workload.ts';
import { EDGES, PROBE_PORTS, type PodGroup } from './edges.ts';

const ALL = {
  ...inputOf({
    components: { karmadaSearch: {}, karmadaDescheduler: {}, karmadaSchedulerEstimator: {} },
  }),
  estimators: [{ cluster: 'member-1', accessHash: '' }],
};

const BIND_FLAG =
  /^--(?:[a-z-]*bind-address|secure-port|server-port|listen-[a-z]+-urls)=(?:.*:)?(\d+)$/;

/** Ports of the containers, of their probes, and of flags that name an address to listen on. */
function portsOf(name: ComponentName): readonly number[] {
  const component = COMPONENTS.find((one) => one.name === name);
  const objects = component === undefined ? [] : renderComponent(TEMPLATES, component, ALL);
  const containers = objects
    .filter(isWorkload)
    .flatMap(({ spec }) => spec.template.spec.containers);
  const text = JSON.stringify(containers);
  const declared = [...text.matchAll(/"(?:containerPort|port)":(\d+)/g)];
  const flags = containers
    .flatMap((container) => container['command'] as readonly string[])
    .flatMap((flag) => [...flag.matchAll(new RegExp(BIND_FLAG, 'g'))]);
  return [...new Set([...declared, ...flags].map(([, port]) => Number(port)))];
}

const served = (name: PodGroup): readonly number[] =>
  EDGES.filter(({ to }) => to.includes(name)).map(({ port }) => port);

describe('EDGES', () => {
  it.each(CATALOG.map(({ name }) => name))('have every port of the template of %s', (name) => {
    const probed = PROBE_PORTS[name];
    const known = [...served(name), ...(probed === undefined ? [] : [probed])];
    expect([...new Set(known)].sort()).toEqual([...portsOf(name)].sort());
  });

  it('contain no connection twice', () => {
    const all = EDGES.flatMap(({ from, to, port }) =>
      from.flatMap((source) => to.map((target) => `${source} ${target} ${String(port)}`)),
    );
    expect(all).toHaveLength(new Set(all).size);
  });

  it('let every component with a kubeconfig connect to the API server', () => {
    const clients = EDGES.filter(({ port }) => port === 5443).flatMap(({ from }) => from);
    const expected = CATALOG.filter(({ kubeconfig }) => kubeconfig).map(({ name }) => name);
    expect(clients).toEqual(expect.arrayContaining(expected));
  });

  it('are in the table of connections of the security page', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| '));
    const connections = EDGES.filter(({ from }) => !from.includes('monitoring'));
    const lacking = connections.flatMap(({ to, port }) =>
      to
        .filter((one) => !rows.some((row) => row.includes(one) && row.includes(String(port))))
        .map((one) => `${one} ${String(port)}`),
    );
    expect(lacking).toEqual([]);
  });
});
