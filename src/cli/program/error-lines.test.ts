import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../kubernetes/errors.ts';
import { CommandError, InvalidFields } from './environment.ts';
import { errorLines } from './error-lines.ts';

const apiError = (code: number, reason: string, message: string, causes?: object[]): ApiError =>
  new ApiError({
    request: 'patch Karmada team/demo',
    code,
    reason,
    message,
    details: { ...(causes && { causes }) },
  });

describe('errorLines', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['a command error', new CommandError('no\nname'), ['error: no name']],
    [
      'a file that does not exist',
      Object.assign(new Error('ENOENT: no such file'), {
        code: 'ENOENT',
        syscall: 'open',
        path: '/a/karmada.yaml',
      }),
      ['error: the path "/a/karmada.yaml" does not exist'],
    ],
    ['a value that is no error', 'no', ['error: no']],
    [
      'errors of fields',
      new InvalidFields([
        { field: 'spec.a', message: 'unknown field' },
        { field: 'spec.b', message: 'required' },
      ]),
      ['error: spec.a: unknown field', 'error: spec.b: required'],
    ],
    [
      'an error of the API server',
      apiError(403, 'Forbidden', 'User "a" cannot patch resource "karmadas"'),
      ['Error from server (Forbidden): User "a" cannot patch resource "karmadas"'],
    ],
    [
      'invalid fields of the API server',
      apiError(422, 'Invalid', 'Karmada "demo" is invalid: [spec.a: x, spec.b: y]', [
        { field: 'spec.a', message: 'Invalid value: 1: x' },
        { field: 'spec.b', message: 'Required value: y' },
      ]),
      [
        'Error from server (Invalid): spec.a: Invalid value: 1: x',
        'Error from server (Invalid): spec.b: Required value: y',
      ],
    ],
    [
      'an invalid field without the remark that rules were left out',
      apiError(422, 'Invalid', 'Karmada "demo" is invalid: [spec.a: x, <nil>: y]', [
        { field: 'spec.a', message: 'Unsupported value: "x"' },
        { field: '<nil>', message: 'Invalid value: null: some validation rules were not checked' },
      ]),
      ['Error from server (Invalid): spec.a: Unsupported value: "x"'],
    ],
    [
      'one invalid field of the API server',
      apiError(422, 'Invalid', 'Karmada "demo" is invalid: spec.a: x', [
        { field: 'spec.a', message: 'x' },
      ]),
      ['Error from server (Invalid): Karmada "demo" is invalid: spec.a: x'],
    ],
    [
      'unknown fields of the API server',
      apiError(
        400,
        'BadRequest',
        'Karmada in version "v1alpha1" cannot be handled as a Karmada: strict decoding error: unknown field "spec.a", unknown field "spec.b"',
      ),
      [
        'Error from server (BadRequest): unknown field "spec.a"',
        'Error from server (BadRequest): unknown field "spec.b"',
      ],
    ],
  ])('formats %s', (_, error, lines) => {
    expect(errorLines(error)).toEqual(lines);
  });
});
