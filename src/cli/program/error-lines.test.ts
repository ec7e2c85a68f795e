import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../kubernetes/client/errors.ts';
import { CommandError, InvalidFields } from './environment.ts';
import type { FieldSchema } from '../fields/field-schema.ts';
import { errorLines, hasUnknownFields, usageErrorText } from './error-lines.ts';

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

const notFound = (details: object, reason = 'NotFound'): ApiError =>
  new ApiError({
    request: 'get Karmada team/demo',
    code: 404,
    reason,
    message: '"demo" not found',
    details,
  });

describe('errorLines of an object that does not exist', () => {
  it.each<[string, ApiError, string]>([
    [
      'names the namespace of an object of the operator',
      notFound({ kind: 'karmadas', group: 'operator.karmada.io', name: 'demo' }),
      'Error from server (NotFound): "demo" not found in namespace team; select another one with -n',
    ],
    [
      'adds nothing for other objects',
      notFound({ kind: 'secrets', name: 'demo' }),
      'Error from server (NotFound): "demo" not found',
    ],
    [
      'says that the kind is not served',
      notFound({}, 'HTTP 404'),
      'error: get Karmada team/demo: this cluster does not have the CRDs of the operator; install the operator, or select another cluster with --context or --kubeconfig',
    ],
  ])('%s', (_, error, line) => {
    expect(errorLines(error)).toEqual([line]);
  });
});

describe('errorLines of unknown fields', () => {
  const schema: FieldSchema = { properties: { spec: { properties: { suspend: {} } } } };
  const error = apiError(
    400,
    'BadRequest',
    'strict decoding error: unknown field "spec.suspended", unknown field "spec.b"',
  );

  it('names the nearest known field', () => {
    expect(hasUnknownFields(error)).toBe(true);
    expect(errorLines(error, schema)).toEqual([
      'Error from server (BadRequest): unknown field "spec.suspended"; did you mean suspend?',
      'Error from server (BadRequest): unknown field "spec.b"',
    ]);
  });

  it.each([new Error('unknown field "a"'), apiError(400, 'BadRequest', 'no'), undefined])(
    'are not in %s',
    (other) => {
      expect(hasUnknownFields(other)).toBe(false);
    },
  );
});

it.each([
  [
    "error: unknown command 'statu'\n(Did you mean status?)\n",
    "error: unknown command 'statu'; did you mean status?\n",
  ],
  [
    "error: unknown option '--al'\n(Did you mean one of --all, --a?)\n",
    "error: unknown option '--al'; did you mean one of --all, --a?\n",
  ],
  [
    "error: option '--timeout <duration>' argument '5' is invalid. must be a duration such as 15s.\n",
    "error: option '--timeout <duration>' argument '5' is invalid: must be a duration such as 15s.\n",
  ],
  [
    "error: command-argument value 'A' is invalid for argument 'member'. must be a DNS label.\n",
    "error: command-argument value 'A' is invalid for argument 'member': must be a DNS label.\n",
  ],
  [
    "error: option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are json, yaml.\n",
    "error: option '-o, --output <format>' argument 'xml' is invalid: must be one of json, yaml.\n",
  ],
  [
    "error: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh.\n",
    "error: command-argument value 'tcsh' is invalid for argument 'shell': must be one of bash, zsh.\n",
  ],
  ["error: missing required argument 'name'\n", "error: missing required argument 'name'\n"],
])('usageErrorText of %j is one line', (text, expected) => {
  expect(usageErrorText(text)).toBe(expected);
});
