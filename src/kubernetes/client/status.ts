/** Reads the Status of meta/v1 in a response, of which any server may send any form. */
import { isObject } from '../objects/compare.ts';
import { keysOf, recordOf } from '../objects/records.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

/** One entry of `details.causes` of a meta/v1 Status. */
interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Fields of `details` of a meta/v1 Status that the operator uses. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Fields of a Status that the operator uses. */
interface StatusBody {
  readonly reason: string;
  readonly message: string;
  readonly details: StatusDetails;
}

const NO_STATUS: StatusBody = { reason: '', message: '', details: {} };

const REASON = /^[A-Za-z]{1,64}$/;

/** Only a Kubernetes Status is used in messages. The response of any other server may contain secret data. */
function statusOf(parsed: unknown): StatusBody {
  const { kind, reason, message, details } = fieldsOf(parsed);
  if (kind !== 'Status') return NO_STATUS;
  return {
    reason: typeof reason === 'string' && REASON.test(reason) ? reason : '',
    message: textOf(message, UNTRUSTED.message) ?? '',
    details: detailsOf(fieldsOf(details)),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

const textOf = (value: unknown, longest: number): string | undefined =>
  typeof value === 'string' ? value.slice(0, longest) : undefined;

/** A field path or a name of an object. */
const MAX_NAME_LENGTH = 1_024;
/** An API server reports one cause for each invalid field. */
const MAX_CAUSES = 100;

function detailsOf({ name, group, kind, causes, retryAfterSeconds }: Fields): StatusDetails {
  return {
    ...textFields({ name, group, kind }),
    ...(Array.isArray(causes) && { causes: causes.slice(0, MAX_CAUSES).map(causeOf) }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  };
}

function causeOf(cause: unknown): StatusCause {
  const { reason, field, message } = fieldsOf(cause);
  const text = textOf(message, UNTRUSTED.message);
  return { ...textFields({ reason, field }), ...(text !== undefined && { message: text }) };
}

function textFields<K extends string>(fields: Record<K, unknown>): Partial<Record<K, string>> {
  const texts = keysOf(fields).flatMap((name) => {
    const text = textOf(fields[name], MAX_NAME_LENGTH);
    return text === undefined ? [] : [[name, text] as const];
  });
  return recordOf(texts);
}

/** Reads the Status in the body of an error response; an empty one if there is none. */
export function parseStatus(body: string): StatusBody {
  try {
    return statusOf(parseJsonWithin(body, { size: UNTRUSTED.errorBody }));
  } catch {
    return NO_STATUS;
  }
}
