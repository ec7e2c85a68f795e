/** Fake clients for tests: their answers need not have the type of the kind that is asked for. */
import type {
  ApplyOptions,
  CallOptions,
  KubernetesClient,
  ListOptions,
  ListPage,
  PageOptions,
  WatchOptions,
  WriteOptions,
} from './client-interface.ts';
import type { KubernetesObject } from '../objects/object.ts';
import type { ObjectKey, ResourceType } from '../objects/resources.ts';
import type { WatchEvent } from './watch.ts';

/** The calls of a client whose answers depend on the kind, for objects of any kind. */
interface AnyKind {
  get(type: ResourceType, key: ObjectKey, options?: CallOptions): Promise<KubernetesObject>;
  find(
    type: ResourceType,
    key: ObjectKey,
    options?: CallOptions,
  ): Promise<KubernetesObject | undefined>;
  listPage(type: ResourceType, options?: PageOptions): Promise<ListPage>;
  list(type: ResourceType, options?: ListOptions): Promise<ListPage>;
  watch(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent>;
  create(object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  replace(object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  apply(object: KubernetesObject, options: ApplyOptions): Promise<KubernetesObject>;
  patch(
    type: ResourceType,
    key: ObjectKey,
    patch: object,
    options?: WriteOptions,
  ): Promise<KubernetesObject>;
}

type AnyClient = AnyKind & Omit<KubernetesClient, keyof AnyKind>;

/** Types the calls of a fake as those of a client. */
export function anyClient<K extends keyof AnyClient>(
  fake: Pick<AnyClient, K>,
): Pick<KubernetesClient, K> {
  return fake as object as Pick<KubernetesClient, K>;
}
