/** What is applied, with which options, and the result. */
import type { ApplyCacheOptions } from './apply-cache.ts';
import type { CacheTransform } from '../objects/cache-transform.ts';
import type { CallOptions, KubernetesClient } from '../client/client-interface.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { PermanentError } from '../client/permanent-errors.ts';

/** Result of applying one object. */
export type ApplyResult =
  | { readonly outcome: 'unchanged'; readonly object: KubernetesObject }
  | {
      readonly outcome: 'created' | 'configured';
      readonly object: KubernetesObject;
      /** Field paths that another client had changed in the live object. */
      readonly drift: readonly string[];
    }
  /** The object is terminating; it can be recreated only after it is gone. */
  | { readonly outcome: 'terminating'; readonly object: KubernetesObject }
  /** An object with this name exists and does not belong to the operator; nothing was written. */
  | { readonly outcome: 'conflict'; readonly message: string; readonly object?: KubernetesObject }
  | PermanentError;

export interface ApplierOptions extends ApplyCacheOptions {
  readonly client: KubernetesClient;
  readonly fieldManager: string;
  /** Selects all objects of the operator, so that a list reads many of a kind that is cached in part. */
  readonly labelSelector?: string;
}

export interface ApplyRequest {
  readonly desired: KubernetesObject;
  /** Cached object. If undefined, the applier reads from the API server, because the cache may be behind. */
  readonly cached?: KubernetesObject | undefined;
  /**
   * A complete cache has no such object, so the applier creates it without a read before. If it exists nevertheless, such as one
   * without the labels of the operator, the API server rejects that, and the applier reads it.
   */
  readonly isAbsent?: boolean;
  /** The cache holds metadata only: the applier reads the whole object if it changed since the last check. */
  readonly partial?: boolean;
  /** Whether the labels of a live object allow the operator to change it. */
  readonly owns: (live: KubernetesObject) => boolean;
  /** Cache transform of the kind, applied to `desired` before the comparison. */
  readonly reduce?: CacheTransform;
  readonly call?: CallOptions;
}
