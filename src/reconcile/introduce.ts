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
import { act, type ActTools } from './act.ts';
import { afterwards } from './status/assessment.ts';
import { wanted, type DesiredObject } from './desired.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Makes those Services, when nothing of the instance is there yet. What cannot be made now the pass tries again.
 * @returns the snapshot with what was made
 */
export async function introduce(
  tools: ActTools,
  templates: Templates,
  snapshot: Snapshot,
): Promise<Snapshot> {
  const applies = firstServices(templates, snapshot).map((target) => ({ target }));
  if (applies.length === 0) return snapshot;
  const plan = { certificates: false, applies, removals: [], holds: [] };
  return afterwards(snapshot, await act(tools, plan));
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
