/** A fault of a control plane, and what its status must say about it. Data. */

export interface Fault {
  /** Last part of the name of its Namespace. */
  readonly id: string;
  /** Continues the sentence "a control plane with …". */
  readonly title: string;
  /** Parts of the Karmada that make it. Without components, those of `SMALL` are used. */
  readonly components?: object;
  readonly spec?: object;
  /** Labels of the Namespace. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Objects that make it, created before the Karmada. Those of namespaced kinds are in its Namespace. */
  readonly objects?: (namespace: string) => readonly object[] | Promise<readonly object[]>;
  /** Makes the fault after the control plane has become Ready. Absent if it exists from the start. */
  readonly later?: Later;
  /** What the status says. */
  readonly named: Named;
  /**
   * Text of an Event in the Namespace or in the status of a Pod with which Kubernetes reports the fault. Absent if the spec or an
   * object of the user is the fault, which the operator can read at once.
   */
  readonly evidence?: RegExp;
  /** Only a warning: the control plane may become Ready. */
  readonly isWarning?: true;
  /** Public issues and pull requests that report this fault, such as `etcd-io/etcd#12693`. Absent if none is known. */
  readonly reports?: readonly string[];
}

/** What happens to a control plane that is Ready, in this order. */
export interface Later {
  /** Objects in the host cluster. Those of namespaced kinds are in the Namespace of the fault. */
  readonly objects?: (namespace: string) => readonly object[];
  /** Objects in the API of the control plane. */
  readonly inControlPlane?: readonly object[];
  /** Object that the API server rejects as soon as it knows these objects: that of the control plane if they are there. */
  readonly rejected?: object;
  /** Merge patch of the spec. */
  readonly patch?: object;
  /** Objects of the Namespace that are deleted: arguments of `kubectl delete`. */
  readonly deletes?: readonly string[];
  /** The same in the control plane. */
  readonly deletesInControlPlane?: readonly string[];
}

export interface Named {
  /** Type of the condition. */
  readonly type: string;
  readonly reason: string;
  /** Part of the message that names the object or the field. */
  readonly object: RegExp | string;
  /** Part of the message that says what to do. */
  readonly remedy: RegExp | string;
}

/** etcd without a PVC, so that a fault of another component needs no volume. */
export const SMALL = { etcd: { local: { volumeData: { emptyDir: {} } } } };

/** etcd with a PVC, which causes no warning. */
export const PLAIN = { etcd: { local: {} } };

/** Components with flags of one of them. */
export const flags = (key: string, extraArgs: Readonly<Record<string, string>>): object => ({
  ...SMALL,
  [key]: { extraArgs },
});

/** Components with settings of one of them. */
export const settings = (key: string, given: object): object => ({ ...SMALL, [key]: given });

/** An error of the spec that the operator reports at once. */
export const invalid = (object: Named['object'], remedy: Named['remedy']): Named => ({
  type: 'Ready',
  reason: 'ValidationError',
  object,
  remedy,
});

/** A core object of the Namespace of a fault. */
export const object = (kind: string, name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
});
