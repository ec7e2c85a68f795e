/** Formats errors for the terminal: one error a line, in the style of kubectl. Pure functions. */
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { ApiError, errorText } from '../../kubernetes/client/errors.ts';
import { fieldHint } from '../fields/field-hint.ts';
import type { FieldSchema } from '../fields/field-schema.ts';
import { CommandErrors } from './environment.ts';
import { printable } from './text.ts';

/**
 * Returns the lines of an error. Each line is complete, so that scripts can search them.
 * @param schema fields of a Karmada, to explain unknown ones
 */
export function errorLines(error: unknown, schema?: FieldSchema): readonly string[] {
  if (error instanceof CommandErrors) return error.lines.map((line) => `error: ${printable(line)}`);
  if (error instanceof ApiError) return serverLines(error, schema).map(printable);
  return [`error: ${printable(fileError(error) ?? errorText(error))}`];
}

function serverLines(error: ApiError, schema: FieldSchema | undefined): readonly string[] {
  if (isNotServed(error)) return [`error: ${requestOf(error)}: ${NOT_SERVED}`];
  const prefix = `Error from server (${error.reason}): `;
  return causesOf(error).map((cause) => `${prefix}${cause}${remedyFor(error, cause, schema)}`);
}

const NOT_SERVED =
  'this cluster does not have the CRDs of the operator; install the operator, or select another cluster with --context or --kubeconfig';

/** The API server answers requests for a kind without a CRD with a text that is no Status. */
const isNotServed = ({ code, details }: ApiError): boolean =>
  code === 404 && details.kind === undefined && details.name === undefined;

/** Whether the API server rejected unknown fields, which a schema can explain. */
export const hasUnknownFields = (error: unknown): error is ApiError =>
  error instanceof ApiError && causesOf(error).some((cause) => UNKNOWN.test(cause));

const UNKNOWN = /^unknown field "([^"]+)"$/;

/** Returns what to do about one cause, after a separator; empty if the cause says it. */
const remedyFor = (error: ApiError, cause: string, schema: FieldSchema | undefined): string =>
  fieldRemedy(cause, schema) ?? namespaceRemedy(error) ?? '';

function fieldRemedy(cause: string, schema: FieldSchema | undefined): string | undefined {
  const [, field] = UNKNOWN.exec(cause) ?? [];
  const hint = schema && field !== undefined ? fieldHint(field, schema) : undefined;
  return hint && `; ${hint}`;
}

/** An object of the operator that does not exist is often in another namespace. */
function namespaceRemedy(error: ApiError): string | undefined {
  const { group = '' } = error.details;
  if (error.reason !== 'NotFound' || !group.endsWith('operator.karmada.io')) return undefined;
  const [, namespace] = / ([a-z0-9-]+)\/\S+$/.exec(requestOf(error)) ?? [];
  return namespace && ` in namespace ${namespace}; select another one with -n`;
}

/**
 * Returns an error about a command line on one line.
 * @param text of commander, which puts a suggestion on a line of its own, and the reason of a rejected value after a full stop
 */
export function usageErrorText(text: string): string {
  const [cause = '', suggestion] = text.split('\n(Did you mean ');
  const line =
    suggestion === undefined ? cause : `${cause}; did you mean ${suggestion.replace('?)', '?')}`;
  return line
    .replace(/( is invalid(?: for argument '[\w-]+')?)\. must /, '$1: must ')
    .replace(
      /( is invalid(?: for argument '[\w-]+')?)\. Allowed choices are /,
      '$1: must be one of ',
    );
}

const FILE_CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'cannot be opened: permission denied',
  EISDIR: 'is a directory',
  ENOENT: 'does not exist',
};

/** Text of an error of the file system about a path that the user gave. */
function fileError(error: unknown): string | undefined {
  const { code, path, syscall } = fieldsOf(error);
  const cause = FILE_CAUSES[String(code)];
  if (cause === undefined || path === undefined || syscall !== 'open') return undefined;
  return `the path ${JSON.stringify(path)} ${cause}`;
}

/** Returns the cause of each field, otherwise the message without the request. */
export function causesOf(error: ApiError): readonly string[] {
  const message = messageOf(error);
  const causes = error.details.causes?.filter(({ field }) => field !== NO_FIELD) ?? [];
  // A single cause is part of the message, which names the object too.
  if (error.code === 422 && causes.length > 0 && (error.details.causes?.length ?? 0) > 1)
    return causes.map(({ field = '', message: cause = '' }) =>
      field === '' || cause.startsWith(field) ? cause : `${field}: ${cause}`,
    );
  const strict = message.split(STRICT);
  return strict.length < 3 ? [message] : strict.slice(1).map((cause) => cause.replace(/, $/, ''));
}

/** Field of the cause that says that further rules were not checked because of the other causes. */
const NO_FIELD = '<nil>';

/** Start of each error of strict field validation, which the API server joins to one text. */
const STRICT = /(?=(?:unknown|duplicate) field ")/;

function messageOf(error: ApiError): string {
  const { message } = error;
  const marker = markerOf(error);
  const start = message.indexOf(marker);
  return start < 0 ? message : message.slice(start + marker.length);
}

/** Part of the message between the request and the text of the API server. */
const markerOf = ({ code, reason }: ApiError): string => `: ${code} ${reason}: `;

/** Returns the request that failed, such as `get Karmada team/demo`. */
const requestOf = (error: ApiError): string => error.message.split(markerOf(error))[0] ?? '';
