import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { withoutManagedFields } from './cache-transform.ts';

/** Whether V8 keeps the properties of an object without a hash table. */
function hasFastProperties(object: object): unknown {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return runInNewContext('%HasFastProperties(object)', { object });
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

describe('withoutManagedFields', () => {
  it('leaves metadata that needs no hash table', () => {
    const kept = { name: 'x', labels: { a: 'b' }, uid: 'u', resourceVersion: '7' };
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { managedFields: [], ...kept } };
    const { metadata } = withoutManagedFields(object);
    expect(metadata).toEqual(kept);
    expect(hasFastProperties(metadata)).toBe(true);
  });
});
