import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Templates } from '../render.ts';

/** Freezes a tree, so that a test that changes a shared object fails. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

/**
 * Returns templates that render equal values once. Models of the operator render the same objects hundreds of times,
 * and a property about one field changes the values of one template only.
 * @returns templates whose objects are frozen
 */
export function memoized(templates: Templates): Templates {
  const rendered = new Map<string, readonly KubernetesObject[]>();
  return (path, values) => {
    const key = JSON.stringify([path, values]);
    const found = rendered.get(key) ?? frozen(templates(path, values));
    rendered.set(key, found);
    return found;
  };
}
