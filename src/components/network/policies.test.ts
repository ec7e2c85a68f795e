import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BACKUP_KARMADA } from '../../api/backup/kinds.ts';
import { BACKUP_PODS, COMPONENT, INSTANCE, RECOVERY_PODS } from '../../api/labels.ts';
import type { KarmadaSpec } from '../../api/karmada.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { expectGolden, TEMPLATES } from '../__fixtures__/golden.ts';
import { EXTERNAL_ETCD, FULL_SPEC, inputOf, MINIMAL } from '../__fixtures__/inputs.ts';
import type { RenderInput } from '../component.ts';
import { renderHost } from '../desired.ts';
import { isWorkload } from '../workload.ts';
import { isAllowed, type Connection, type Endpoint } from './__fixtures__/evaluate.ts';
import { EDGES, FREE_EGRESS, type PodGroup, type Source } from './edges.ts';

const NAMESPACE = 'tenant-a';
const OPERATOR = 'operators';

/** In a remote host cluster. */
const enforcedThere = (name: string, spec: KarmadaSpec = {}): RenderInput =>
  inputOf({ ...FULL_SPEC, monitoring: {}, ...spec, networkPolicy: 'Enforced' }, name, NAMESPACE);

const enforced = (name: string, spec: KarmadaSpec = {}): RenderInput => ({
  ...enforcedThere(name, spec),
  operatorNamespace: OPERATOR,
});

const policiesOf = (input: RenderInput): readonly KubernetesObject[] =>
  renderHost(TEMPLATES, input).filter(({ kind }) => kind === 'NetworkPolicy');

/** A Pod of a group, with the labels of its template. */
const podOf = (group: PodGroup, name = 'a', namespace = NAMESPACE): Endpoint => ({
  namespace,
  labels: {
    [COMPONENT]: group,
    [group === BACKUP_PODS ? BACKUP_KARMADA : INSTANCE]: name,
    'example.com/label': 'more',
  },
});

const podIn = (namespace: string, labels = {}): Endpoint => ({ namespace, labels });
const OPERATOR_POD = podIn(OPERATOR, { [COMPONENT]: 'karmada-operator' });
const USER = podIn(NAMESPACE, { app: 'shop' });
const PROMETHEUS = podIn('observability', { [COMPONENT]: 'prometheus' });

const GROUPS: readonly PodGroup[] = [...new Set(EDGES.flatMap(({ to }) => to)), BACKUP_PODS];
const PORTS = [...new Set(EDGES.map(({ port }) => port)), 22, 443, 8000];

const hasEdge = (from: Source, to: PodGroup, port: number): boolean =>
  EDGES.some((edge) => edge.from.includes(from) && edge.to.includes(to) && edge.port === port);

const pairs = GROUPS.flatMap((from) => GROUPS.map((to) => [from, to] as const));

describe('NetworkPolicies', () => {
  const policies = policiesOf(enforced('a'));

  it('equal their golden file', () => {
    const input = enforced('a', { monitoring: { namespaces: ['observability'] } });
    const golden = join(import.meta.dirname, '__golden__', 'network-policies.yaml');
    expectGolden(golden, policiesOf(input));
  });

  it.each<[string, RenderInput]>([
    ['by default', MINIMAL],
    ['when the spec says None', inputOf({ networkPolicy: 'None' })],
  ])('are not rendered %s', (_, input) => {
    expect(policiesOf(input)).toEqual([]);
  });

  it('have none for the Pods of an external etcd', () => {
    const spec = { ...EXTERNAL_ETCD.spec, networkPolicy: 'Enforced' } as const;
    const names = policiesOf({ ...EXTERNAL_ETCD, spec }).map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(new Set(names).size);
    expect(names.filter((name) => /-(etcd|etcd-recovery|backup)$/.test(name))).toEqual([]);
  });

  it.each(
    EDGES.flatMap(({ from, to, port, purpose }) =>
      from.flatMap((source) => to.map((target) => [source, target, port, purpose] as const)),
    ),
  )('allow the edge from %s to %s on port %i: %s', (source, target, port) => {
    const opened = policiesOf(enforced('a', { monitoring: { namespaces: ['observability'] } }));
    const from: Readonly<Partial<Record<Source, readonly Endpoint[]>>> = {
      operator: [OPERATOR_POD],
      clients: ['outside', USER, PROMETHEUS],
      monitoring: [PROMETHEUS],
    };
    for (const one of from[source] ?? [podOf(source as PodGroup)])
      expect(isAllowed(opened, { from: one, to: podOf(target), port })).toBe(true);
  });

  it.each(pairs)('allow nothing but the edges from %s to %s', (from, to) => {
    for (const port of PORTS) {
      const isOpen = hasEdge('clients', to, port) && FREE_EGRESS.has(from);
      const connection = { from: podOf(from), to: podOf(to), port };
      const allowed = isAllowed(policies, connection);
      expect({ port, allowed }).toEqual({ port, allowed: isOpen || hasEdge(from, to, port) });
    }
  });

  it.each(pairs)(
    'allow no connection from %s to %s of another Karmada in the namespace, but that of clients',
    (from, to) => {
      const both = [...policies, ...policiesOf(enforced('b'))];
      for (const port of PORTS) {
        const isOpen = hasEdge('clients', to, port) && FREE_EGRESS.has(from);
        const allowed = isAllowed(both, { from: podOf(from), to: podOf(to, 'b'), port });
        expect({ port, allowed }).toEqual({ port, allowed: isOpen });
      }
    },
  );

  it.each<[string, Connection]>([
    ['a Pod of a user to etcd', { from: USER, to: podOf('etcd'), port: 2379 }],
    ['a Pod of a user to a peer port', { from: USER, to: podOf('etcd'), port: 2380 }],
    ['outside to etcd', { from: 'outside', to: podOf('etcd'), port: 2379 }],
    [
      'an API server to a peer port',
      { from: podOf('karmada-apiserver'), to: podOf('etcd'), port: 2380 },
    ],
    ['a Pod of a user to webhooks', { from: USER, to: podOf('karmada-webhook'), port: 8443 }],
    ['outside to an aggregated API', { from: 'outside', to: podOf('karmada-search'), port: 8443 }],
    [
      'a Pod of a user to an estimator',
      { from: USER, to: podOf('karmada-scheduler-estimator'), port: 10_352 },
    ],
    ['Prometheus to metrics', { from: PROMETHEUS, to: podOf('karmada-scheduler'), port: 8080 }],
    ['the operator to metrics', { from: OPERATOR_POD, to: podOf('karmada-webhook'), port: 8080 }],
    ['a Pod of a user to a recovery', { from: USER, to: podOf(RECOVERY_PODS), port: 2379 }],
    ['outside to a backup', { from: 'outside', to: podOf(BACKUP_PODS), port: 443 }],
    ['etcd to the internet', { from: podOf('etcd'), to: 'outside', port: 443 }],
    [
      'karmada-webhook to the internet',
      { from: podOf('karmada-webhook'), to: 'outside', port: 443 },
    ],
    [
      'karmada-scheduler to a member',
      { from: podOf('karmada-scheduler'), to: 'outside', port: 6443 },
    ],
    [
      'kube-controller-manager to a node',
      { from: podOf('kube-controller-manager'), to: 'outside', port: 10_250 },
    ],
    ['etcd to its API server', { from: podOf('etcd'), to: podOf('karmada-apiserver'), port: 5443 }],
    [
      'a Pod of a user in the namespace of the operator, as a component',
      { from: podOf('karmada-apiserver', 'c', OPERATOR), to: podOf('etcd'), port: 2379 },
    ],
    [
      'the component of another namespace',
      { from: podOf('karmada-apiserver', 'a', 'tenant-b'), to: podOf('etcd'), port: 2379 },
    ],
  ])('reject connections from %s', (_, connection) => {
    expect(isAllowed(policies, connection)).toBe(false);
  });

  it.each(GROUPS)('allow %s to resolve names', (group) => {
    for (const port of [53, 5353])
      for (const protocol of ['TCP', 'UDP'] as const) {
        const to = podIn('kube-system', { 'k8s-app': 'kube-dns' });
        expect(isAllowed(policies, { from: podOf(group), to, port, protocol })).toBe(true);
      }
  });

  it.each([...FREE_EGRESS])('allow %s to connect to all addresses: %s', (group) => {
    expect(isAllowed(policies, { from: podOf(group), to: 'outside', port: 6443 })).toBe(true);
  });

  it('narrow the egress of all groups to the ranges of the spec, DNS and their edges', () => {
    const narrowed = policiesOf(enforced('a', { egressCIDRs: ['203.0.113.0/24'] }));
    for (const from of GROUPS) {
      const of = (to: Endpoint, port: number): boolean =>
        isAllowed(narrowed, { from: podOf(from), to, port });
      expect([from, of('in range', 6443)]).toEqual([from, FREE_EGRESS.has(from)]);
      expect([from, of('outside', 6443), of('outside', 53)]).toEqual([from, false, true]);
      for (const to of GROUPS)
        for (const port of PORTS)
          expect([from, to, port, of(podOf(to), port)]).toEqual([
            from,
            to,
            port,
            hasEdge(from, to, port),
          ]);
    }
    const closed = policiesOf(enforced('a', { egressCIDRs: [] }));
    const from = podOf('karmada-apiserver');
    expect(isAllowed(closed, { from, to: 'in range', port: 6443 })).toBe(false);
  });

  it('select neither Pods of users nor those of other namespaces', () => {
    expect(isAllowed(policies, { from: 'outside', to: USER, port: 80 })).toBe(true);
    const other = podOf('etcd', 'a', 'tenant-b');
    expect(isAllowed(policies, { from: 'outside', to: other, port: 2379 })).toBe(true);
  });

  it.each<[string, KarmadaSpec['monitoring'], boolean, boolean]>([
    ['is not set', undefined, false, false],
    ['issues a client certificate', { clientCertificate: true }, true, true],
    ['names namespaces', { namespaces: ['x', 'observability'] }, true, false],
    [
      'names namespaces beside the certificate',
      { clientCertificate: true, namespaces: [] },
      false,
      false,
    ],
  ])('open metrics as spec.monitoring says: it %s', (_, monitoring = {}, prometheus, user) => {
    const opened = policiesOf(enforced('a', { monitoring }));
    for (const { to, port } of EDGES.filter(({ from }) => from.includes('monitoring')))
      for (const target of to) {
        const of = (from: Endpoint) => isAllowed(opened, { from, to: podOf(target), port });
        expect([of(PROMETHEUS), of(USER)]).toEqual([prometheus, user]);
      }
  });

  it('do not open the components to each other when monitoring names their namespace', () => {
    const both = policiesOf(enforced('a', { monitoring: { namespaces: [NAMESPACE] } }));
    const to = podOf('etcd');
    expect(isAllowed(both, { from: USER, to, port: 2381 })).toBe(true);
    expect(isAllowed(both, { from: podOf('karmada-search', 'b'), to, port: 2381 })).toBe(false);
  });

  it.each<[string, KarmadaSpec['monitoring']]>([
    ['issues a client certificate', { clientCertificate: true }],
    ['names the namespaces of control planes', { namespaces: [NAMESPACE, 'tenant-b'] }],
  ])(
    'open no metrics to control planes and to addresses outside of the cluster when monitoring %s',
    (_, monitoring = {}) => {
      const opened = policiesOf(enforced('a', { monitoring }));
      const components = GROUPS.flatMap((group) => [
        podOf(group, 'b'),
        podOf(group, 'a', 'tenant-b'),
      ]);
      for (const { to, port } of EDGES.filter(({ from }) => from.includes('monitoring')))
        for (const target of to)
          for (const from of ['outside', ...components] as const)
            expect(isAllowed(opened, { from, to: podOf(target), port })).toBe(false);
    },
  );

  it.each(['TCP', 'UDP', 'SCTP', undefined] as const)(
    'open only the protocol of a port of a sidecar: %s',
    (protocol) => {
      const ports = [{ containerPort: 8132, ...(protocol && { protocol }) }];
      const sidecarContainers = [{ name: 'proxy', image: 'proxy', ports }];
      const opened = policiesOf(
        enforced('a', { components: { karmadaAPIServer: { sidecarContainers } } }),
      );
      const open = (['TCP', 'UDP', 'SCTP'] as const).filter((one) =>
        isAllowed(opened, {
          ...{ from: 'outside', to: podOf('karmada-apiserver'), port: 8132 },
          protocol: one,
        }),
      );
      expect(open).toEqual([protocol ?? 'TCP']);
    },
  );

  it('open the ports that a sidecar of the API server declares', () => {
    const to = podOf('karmada-apiserver');
    expect(isAllowed(policies, { from: 'outside', to, port: 8132 })).toBe(true);
    const without = policiesOf(enforced('a', { components: {} }));
    expect(isAllowed(without, { from: 'outside', to, port: 8132 })).toBe(false);
  });

  it('open nothing for an operator that is in another cluster', () => {
    const there = policiesOf(enforcedThere('a'));
    expect(isAllowed(there, { from: OPERATOR_POD, to: podOf('etcd'), port: 2379 })).toBe(false);
    expect(JSON.stringify(there)).not.toContain(OPERATOR);
  });

  it('select exactly the Pods of the rendered workloads', () => {
    const input = { ...enforced('a'), estimators: [{ cluster: 'm', accessHash: '' }] };
    const [protect, all] = [policiesOf(input), renderHost(TEMPLATES, input).filter(isWorkload)];
    for (const { spec } of all) {
      const { labels } = spec.template.metadata;
      const to = { namespace: NAMESPACE, labels };
      expect(isAllowed(protect, { from: 'outside', to, port: 22 })).toBe(false);
    }
  });
});
