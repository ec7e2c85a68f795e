/** Interface of a component. `registry.ts` lists all implementations. */
import type {
  V1Container,
  V1PersistentVolumeClaimSpec,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';

import type { ComponentName } from '../api/component-catalog.ts';
import type { DefaultedSettings, DefaultedSpec } from '../api/defaults/defaults.ts';
import type { FeatureGates, StringMap } from '../api/settings.ts';
import type { TemplateRevision } from './template-revision.ts';
import type { Workload } from './workload.ts';

export type { ComponentName };

/** Groups of objects in the Karmada API that the operator applies together (`src/controlplane`). */
export type ControlPlaneStep =
  | 'health'
  | 'namespaces'
  | 'crds'
  | 'rbac'
  | 'bootstrap'
  | 'webhook-configurations'
  | 'cluster-api-service'
  | 'metrics-api-services'
  | 'search-api-service';

/** Node of the install graph: a component or a group of objects in the Karmada API. */
export type Step = ComponentName | ControlPlaneStep;

/** Complete input for rendering the objects of one control plane in the host cluster. Plain values only. */
export interface RenderInput {
  /** `metadata.name` of the Karmada object */
  readonly name: string;
  readonly namespace: string;
  readonly spec: DefaultedSpec;
  /**
   * Hash of the certificates that a component does not reload without a restart. A changed hash
   * restarts the component. A component without such certificates has no entry.
   */
  readonly certificatesHash: Readonly<Partial<Record<ComponentName, string>>>;
  /** Hash of the CA certificates of an external etcd. A changed hash restarts the etcd clients. */
  readonly etcdTrust?: string;
  /** Members of a running etcd. Absent for a new etcd, which starts with `replicas` members. */
  readonly etcdMembership?: EtcdMembership;
  /** Member clusters that get an estimator. */
  readonly estimators?: readonly EstimatorTarget[];
  /** Revision of the Pod templates; absent: the newest. */
  readonly revision?: TemplateRevision;
  /** Namespace of the operator; absent on a remote host cluster, which the operator reaches through its API server. */
  readonly operatorNamespace?: string;
}

/** Member cluster to which the operator has access. */
export interface EstimatorTarget {
  readonly cluster: string;
  /** Hash of what an estimator reads only at start: address and CA of the member cluster. */
  readonly accessHash: string;
}

/** Membership with which an etcd member without data starts. */
export interface EtcdMembership {
  /** Replicas of the StatefulSet. Differs from the spec while etcd is scaled. */
  readonly replicas: number;
  /** Ordinals of the Pods that are etcd members. */
  readonly ordinals: readonly number[];
  /** `existing`: an etcd member without data does not start. */
  readonly state: 'new' | 'existing';
  /** `--initial-cluster-token`. Defaults to a token derived from object name and namespace. */
  readonly token?: string;
  /** Name of the PVC template. Differs from the default only after a recovery, which keeps the former PVCs. */
  readonly volume?: string;
  /** Members run as root, because the Go operator started them as root. Defaults to the kind of their volume. */
  readonly asRoot?: true;
  /** `http`: members accept each other without TLS, as with the Go operator. Defaults to `https`. */
  readonly peers?: 'http' | 'https';
}

/** Value that a template may print or iterate over. */
export type TemplateValue =
  string | number | boolean | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

export type TemplateValues = Readonly<Record<string, TemplateValue>>;

/** Structured fields of the user. `overlay.ts` merges them into the parsed workload, never into its text. */
export interface UserFields {
  /** Values by flag name without leading dashes. */
  readonly extraArgs?: StringMap;
  /** Only for a binary with a `--feature-gates` flag. */
  readonly featureGates?: FeatureGates;
  readonly sidecarContainers?: readonly V1Container[];
  readonly volumes?: readonly V1Volume[];
  readonly volumeMounts?: readonly V1VolumeMount[];
  readonly volumeClaims?: readonly VolumeClaim[];
}

interface VolumeClaim {
  readonly metadata: {
    readonly name: string;
    readonly labels?: StringMap;
    readonly annotations?: StringMap;
    readonly finalizers?: readonly string[];
  };
  readonly spec: V1PersistentVolumeClaimSpec;
}

/** Readiness criteria of a component in addition to the complete rollout of its workload. */
interface Readiness {
  readonly kind: 'Deployment' | 'StatefulSet';
  /** Endpoint of the readiness probe. */
  readonly probe:
    | { readonly scheme: 'HTTP' | 'HTTPS'; readonly port: number; readonly path: string }
    | { readonly scheme: 'TCP'; readonly port: number };
  /** Names of APIServices of the control plane that must be Available. */
  readonly apiServices: readonly string[];
}

/** One component of the control plane. `<name>/<name>.yaml.hbs` is the template of its objects. */
export interface Component {
  readonly name: ComponentName;
  readonly terminationGracePeriodSeconds: number;
  readonly readiness: Readiness;
  /** Returns the settings of this component, or undefined if the spec does not enable it. */
  settings(spec: DefaultedSpec): DefaultedSettings | undefined;
  /**
   * Additional template values of a component with one workload per member cluster. The template is
   * rendered once per entry. Such a component does not count for the readiness of the control plane.
   */
  readonly perCluster?: (input: RenderInput) => readonly TemplateValues[];
  /** Returns the values of its template in addition to the common values of `values.ts`. */
  values(input: RenderInput): TemplateValues;
  /** Returns the structured fields of the user in addition to those common to all components. */
  userFields(input: RenderInput): UserFields;
  /** Returns whether it must run as root, because only root can write to its volumes. */
  runsAsRoot(input: RenderInput): boolean;
  /** Returns the fields of the user for the Services of this component. */
  serviceFields?(input: RenderInput): ServiceFields;
  /** Adds values derived from the complete workload, for example a hash. */
  readonly finish?: (workload: Workload, input: RenderInput) => Workload;
}

export interface ServiceFields {
  readonly annotations?: StringMap;
  readonly loadBalancerClass?: string;
  readonly ipFamilyPolicy?: string;
}
