import { describe, expect, it } from '@jest/globals';
import { ApiError, NetworkError } from './errors.ts';
import { refusalOf } from './refusal.ts';

function refusal(code: number, causes: object[], message = 'm'): ApiError {
  return new ApiError({ request: 'r', code, reason: 'R', message, details: { causes } });
}

describe('refusals', () => {
  it.each<[string, ApiError, object]>([
    [
      'immutable',
      refusal(422, [{ field: 'spec.selector', message: 'Invalid value: x: field is immutable' }]),
      { outcome: 'immutable', fields: ['spec.selector'] },
    ],
    [
      'stateful set',
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
      'service',
      refusal(422, [{ field: 'spec.clusterIPs[0]', message: 'may not change once set' }]),
      { outcome: 'immutable' },
    ],
    [
      'role',
      refusal(422, [{ field: 'roleRef', message: 'Invalid value: cannot change roleRef' }]),
      { outcome: 'immutable' },
    ],
    [
      'without causes',
      refusal(422, [], 'field is immutable'),
      { outcome: 'immutable', fields: [] },
    ],
    [
      'invalid',
      refusal(422, [{ field: 'spec.a', message: 'Required value' }]),
      { outcome: 'invalid', fields: ['spec.a'] },
    ],
    ['bad request', refusal(400, []), { outcome: 'invalid', fields: [] }],
    [
      'foreign fields',
      refusal(409, [{ reason: 'FieldManagerConflict', field: '.data' }]),
      { outcome: 'conflict' },
    ],
  ])('%s', (...[, error, expected]) => {
    expect(refusalOf(error)).toMatchObject(expected);
  });

  it.each<[string, Error]>([
    ['a changed version', refusal(409, [])],
    [
      'another object of that name',
      refusal(422, [{ field: 'metadata.uid', message: 'field is immutable' }]),
    ],
    ['forbidden', refusal(403, [])],
    ['overload', refusal(429, [])],
    ['network', new NetworkError('r', 'ECONNRESET', 'x')],
    ['anything else', new Error('x')],
  ])('may succeed later: %s', (_name, error) => {
    expect(() => refusalOf(error)).toThrow(error);
  });
});
