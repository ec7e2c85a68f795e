/**
 * Creates the etcd and API server Services first.
 *
 * The first Pods connect to these Services as soon as they run. kube-proxy programs a new Service up to one second
 * late and without a signal. Earlier connections are dropped, not refused, and hang until they time out.
 */
import { renderComponent } from '../../components/desired.ts';
import { etcd } from '../../components/etcd/etcd.ts';
import { karmadaAPIServer } from '../../components/karmada-apiserver/karmada-apiserver.ts';
import type { Templates } from '../../components/render.ts';
import type { Apply } from '../../actions/action.ts';
import { desiredObject, type DesiredObject } from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Returns actions for the initial Services if no object of the control plane exists yet. */
export function initialServiceActions(templates: Templates, snapshot: Snapshot): readonly Apply[] {
  return initialServices(templates, snapshot).map((target) => ({ kind: 'apply', target }));
}

/**
 * Renders the Services of etcd and the API server. @returns an empty list if any object of the control plane exists
 */
export function initialServices(
  templates: Templates,
  { karmada, spec, host }: Snapshot,
): readonly DesiredObject[] {
  if (host.objects.length > 0) return [];
  const { name, namespace = '' } = karmada.metadata;
  const input = { name, namespace, spec, certificatesHash: {} };
  return [etcd, karmadaAPIServer].flatMap((component) =>
    renderComponent(templates, component, input)
      .filter(({ kind }) => kind === 'Service')
      .map((service) => desiredObject('host', component.name, service)),
  );
}
