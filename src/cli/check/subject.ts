/** What the checks work on. */
import type { DefaultedSpec, HostFacts } from '../../api/defaults/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { HostSnapshot } from '../../instance/snapshot.ts';
import type { PlanTools } from '../plan.ts';
import type { Connection } from '../program/connect.ts';

export interface CheckTools extends PlanTools {
  readonly connection: Connection;
}

/** What the checks know about a control plane and its host cluster. */
export interface Subject {
  readonly tools: CheckTools;
  /** Client of the host cluster. */
  readonly client: KubernetesClient;
  readonly isRemote: boolean;
  /** The Karmada as it is; absent before the installation. */
  readonly live: Karmada | undefined;
  /** The Karmada as it would be, with the defaults of the operator. */
  readonly karmada: Karmada;
  readonly spec: DefaultedSpec;
  readonly host: HostSnapshot;
  readonly facts: HostFacts;
  /** Objects in the host cluster, rendered with the requested versions. */
  readonly rendered: readonly KubernetesObject[];
}
