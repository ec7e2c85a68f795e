/** Errors of the API as kube-apiserver returns them. */

/** One entry of `details.causes` of a meta/v1 Status. */
interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** An error response. Its body is a meta/v1 Status. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly Cause[];

  constructor(code: number, reason: string, message: string, causes: readonly Cause[] = []) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }

  get body(): object {
    const { code, reason, message, causes } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      code,
      ...(causes.length > 0 && { details: { causes } }),
    };
  }
}

export const notFound = (what: string): StatusError =>
  new StatusError(404, 'NotFound', `${what} not found`);

export const alreadyExists = (what: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${what} already exists`);

export const conflict = (message: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled: ${message}; please apply your changes to the latest version and try again`,
  );

/** The object is invalid. @param field path of the field */
export const invalid = (what: string, field: string, message: string): StatusError =>
  new StatusError(422, 'Invalid', `${what} is invalid: ${field}: ${message}`, [
    { reason: 'FieldValueInvalid', field, message },
  ]);

export const badRequest = (message: string): StatusError =>
  new StatusError(400, 'BadRequest', message);

export const expired = (): StatusError =>
  new StatusError(410, 'Expired', 'too old resource version');
