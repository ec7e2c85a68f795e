/** What a component is: the one interface behind the table in `registry.ts`. */
import type {
  V1Container,
  V1PersistentVolumeClaimSpec,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';

import type { DefaultedSettings, DefaultedSpec } from '../api/defaults.ts';
import type { FeatureGates, StringMap } from '../api/settings.ts';
import type { Workload } from './workload.ts';

/** Value of `app.kubernetes.io/name` on all objects of a component, and the name of its folder. */
export type ComponentName =
  | 'etcd'
  | 'karmada-apiserver'
  | 'karmada-aggregated-apiserver'
  | 'kube-controller-manager'
  | 'karmada-controller-manager'
  | 'karmada-scheduler'
  | 'karmada-webhook'
  | 'karmada-metrics-adapter'
  | 'karmada-descheduler'
  | 'karmada-search'
  | 'karmada-scheduler-estimator';

/** Groups of objects inside the Karmada API that are applied together (`src/controlplane`). */
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

/** A node of the order in which an instance comes up. */
export type Step = ComponentName | ControlPlaneStep;

/** Everything the objects of one instance in the host cluster are made from, as plain values. */
export interface RenderInput {
  /** `metadata.name` of the Karmada */
  readonly name: string;
  readonly namespace: string;
  readonly spec: DefaultedSpec;
  /**
   * Hash over those certificates of a component that it does not reload by itself; a change of it
   * restarts the component. A component without such certificates has no entry.
   */
  readonly certificatesHash: Readonly<Partial<Record<ComponentName, string>>>;
  /** Hash over the certificates that clients of an external etcd trust; a change of it restarts them. */
  readonly etcdTrust?: string;
  /** Members of a running etcd; left out for a new one, which gets `replicas` members at once. */
  readonly etcdMembership?: EtcdMembership;
  /** Member clusters that get an estimator. */
  readonly estimators?: readonly EstimatorTarget[];
}

/** A member cluster that the operator has got access to. */
export interface EstimatorTarget {
  readonly cluster: string;
  /** Changes with what an estimator reads only when it starts: address and authority of the member. */
  readonly accessHash: string;
}

/** What an etcd member is told about the others when it starts without data. */
export interface EtcdMembership {
  /** Pods the StatefulSet shall have; differs from the spec while members come and go. */
  readonly replicas: number;
  /** Ordinals of the pods that are members. */
  readonly ordinals: readonly number[];
  /** `existing`: a member without data does not start. */
  readonly state: 'new' | 'existing';
  /** `--initial-cluster-token`; left out for one made from the names. */
  readonly token?: string;
}

/** A value that a template may print or walk through. */
export type TemplateValue =
  string | number | boolean | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

export type TemplateValues = Readonly<Record<string, TemplateValue>>;

/** Structured fields of the user that are merged into the parsed workload, never into its text. */
export interface UserFields {
  /** Flag name without dashes to value. */
  readonly extraArgs?: StringMap;
  /** Only for a binary that knows `--feature-gates`. */
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

/** When a component counts as ready, beyond the complete rollout of its workload. */
interface Readiness {
  readonly kind: 'Deployment' | 'StatefulSet';
  /** Endpoint its readiness probe asks. */
  readonly probe:
    | { readonly scheme: 'HTTP' | 'HTTPS'; readonly port: number; readonly path: string }
    | { readonly scheme: 'TCP'; readonly port: number };
  /** APIServices of the control plane that must be Available. */
  readonly apiServices: readonly string[];
}

/** One component of the control plane; its objects come from `<name>/<name>.yaml.hbs`. */
export interface Component {
  readonly name: ComponentName;
  /** `N(suffix)` is the name of its workload, Service and disruption budget. */
  readonly suffix: string;
  readonly terminationGracePeriodSeconds: number;
  readonly readiness: Readiness;
  /** Settings of this component, or undefined when this spec has it not. */
  settings(spec: DefaultedSpec): DefaultedSettings | undefined;
  /**
   * A component that runs once for each of several things has its template filled once for each, with
   * these values on top. It is no part of the instance's own readiness.
   */
  readonly copies?: (input: RenderInput) => readonly TemplateValues[];
  /** Values of its own template besides the common ones of `values.ts`. */
  values(input: RenderInput): TemplateValues;
  /** The user's structured fields besides those that every component has. */
  userFields(input: RenderInput): UserFields;
  /** Whether it has to run as root, for the sake of volumes that only root can write. */
  runsAsRoot(input: RenderInput): boolean;
  /** Annotations of the user for the Services of this component. */
  serviceFields?(input: RenderInput): ServiceFields;
  /** The workload with what is made from the whole of it, such as a hash. */
  readonly finish?: (workload: Workload) => Workload;
}

export interface ServiceFields {
  readonly annotations?: StringMap;
  readonly loadBalancerClass?: string;
}
