import { describe, expect, it } from '@jest/globals';
import { ApiError, NetworkError } from './errors.ts';
import { permanentErrorOf } from './permanent-errors.ts';

function refusal(code: number, causes: object[], message = 'm'): ApiError {
  return new ApiError({ request: 'r', code, reason: 'R', message, details: { causes } });
}

describe('permanentErrorOf', () => {
  it.each<[string, ApiError, object]>([
    [
      'immutable for an immutable selector',
      refusal(422, [{ field: 'spec.selector', message: 'Invalid value: x: field is immutable' }]),
      { outcome: 'immutable', fields: ['spec.selector'] },
    ],
    [
      'immutable for a forbidden StatefulSet update',
      refusal(422, [
        {
          field: 'spec',
          message:
            "Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden",
        },
      ]),
      { outcome: 'immutable', fields: ['spec'] },
    ],
    [
      'immutable for a changed clusterIP of a Service',
      refusal(422, [{ field: 'spec.clusterIPs[0]', message: 'may not change once set' }]),
      { outcome: 'immutable' },
    ],
    [
      'immutable for a changed roleRef',
      refusal(422, [{ field: 'roleRef', message: 'Invalid value: cannot change roleRef' }]),
      { outcome: 'immutable' },
    ],
    [
      'immutable by the message when there are no causes',
      refusal(422, [], 'field is immutable'),
      { outcome: 'immutable', fields: [] },
    ],
    [
      'invalid for a missing required value',
      refusal(422, [{ field: 'spec.a', message: 'Required value' }]),
      { outcome: 'invalid', fields: ['spec.a'] },
    ],
    ['invalid for a 400', refusal(400, []), { outcome: 'invalid', fields: [] }],
    [
      'conflict when another manager owns a field',
      refusal(409, [{ reason: 'FieldManagerConflict', field: '.data' }]),
      { outcome: 'conflict' },
    ],
  ])('returns %s', (...[, error, expected]) => {
    expect(permanentErrorOf(error)).toMatchObject(expected);
  });

  it.each<[string, Error]>([
    ['a 409 for a changed resourceVersion', refusal(409, [])],
    [
      'the object was recreated with another uid',
      refusal(422, [{ field: 'metadata.uid', message: 'field is immutable' }]),
    ],
    ['a 403', refusal(403, [])],
    ['a 429', refusal(429, [])],
    ['a network error', new NetworkError('r', 'ECONNRESET', 'x')],
    ['any other error', new Error('x')],
  ])('throws an error that a retry may resolve: %s', (_name, error) => {
    expect(() => permanentErrorOf(error)).toThrow(error);
  });
});
