/**
 * The first thing a new instance gets: the Services that its first pods ask for as soon as they run.
 *
 * A node's proxy takes up to a second to know a Service, and nothing tells when it does. Who dials its address before
 * that is not refused but lost: his packets go nowhere until his connection times out.
 */
import { renderComponent } from '../components/desired.ts';
import { etcd } from '../components/etcd/etcd.ts';
import { karmadaAPIServer } from '../components/karmada-apiserver/karmada-apiserver.ts';
import type { Templates } from '../components/render.ts';
import type { Apply } from './action.ts';
import { wanted, type DesiredObject } from './desired.ts';
import type { Snapshot } from './snapshot.ts';

/** The actions that make those Services, when nothing of the instance is there yet. */
export function introduction(templates: Templates, snapshot: Snapshot): readonly Apply[] {
  return firstServices(templates, snapshot).map((target) => ({ kind: 'apply', target }));
}

/** Services of etcd and the API server; none when the instance has anything already. */
export function firstServices(
  templates: Templates,
  { karmada, spec, host }: Snapshot,
): readonly DesiredObject[] {
  if (host.objects.length > 0) return [];
  const { name, namespace = '' } = karmada.metadata;
  const input = { name, namespace, spec, certificatesHash: {} };
  return [etcd, karmadaAPIServer].flatMap((component) =>
    renderComponent(templates, component, input)
      .filter(({ kind }) => kind === 'Service')
      .map((service) => wanted('host', component.name, service)),
  );
}
