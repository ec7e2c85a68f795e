/** The reconciler of the operator with a real API server, without worker processes. */
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import { NO_PROXIES } from '../../../src/crd-archives/proxies.ts';
import { TEMPLATES } from '../../../src/components/__fixtures__/golden.ts';
import { DEFAULT_ADDRESSES } from '../../../src/kubernetes/connection/addresses.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { WorkQueue } from '../../../src/kubernetes/workqueue/queue.ts';
import { ServerClock } from '../../../src/kubernetes/time/server-clock.ts';
import { PLATFORM_KEYS } from '../../../src/pki/keys.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import {
  createReconciler,
  type ReconcilerOptions,
} from '../../../src/controllers/karmada/reconciler.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { eventually, memoryLog } from './apiserver-client.ts';

/** Waits until the API server serves Karmadas. */
export const karmadasServed = (client: KubernetesClient): Promise<true> =>
  eventually('the CRD is served', () =>
    client.list(karmadas).then(
      () => true as const,
      () => undefined,
    ),
  );

/** Creates the CRD, or a variant of it, and waits until it is served. */
export async function serveKarmadas(
  client: KubernetesClient,
  crd: object = karmadaCrd,
): Promise<void> {
  await client.create(crd as KubernetesObject);
  await karmadasServed(client);
}

/** A reconciler with the templates and keys of the operator; `options` override the defaults. */
export const testReconciler = (
  client: KubernetesClient,
  options: Partial<ReconcilerOptions> = {},
): Reconciler =>
  createReconciler({
    crossNamespaceSecrets: 'Granted',
    addresses: DEFAULT_ADDRESSES,
    client,
    clock: new ServerClock(systemClock, () => undefined),
    random: Math.random,
    log: memoryLog(),
    events: { record: () => undefined },
    templates: TEMPLATES,
    keys: PLATFORM_KEYS,
    dataDirectories: [],
    cacheDirectory: '/nonexistent',
    proxies: NO_PROXIES,
    userAgent: 'test',
    ...options,
  });

/** Starts a reconciler with filled caches, which reconciles only when the test calls it. */
export async function startReconciler(client: KubernetesClient): Promise<Reconciler> {
  const reconciler = testReconciler(client);
  reconciler.start(new WorkQueue({ clock: systemClock, random: Math.random }));
  await reconciler.synced;
  return reconciler;
}
