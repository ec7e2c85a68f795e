/** Formats errors for the terminal: one error a line, in the style of kubectl. Pure functions. */
import { fieldsOf } from '../../kubernetes/records.ts';
import { ApiError, errorText } from '../../kubernetes/errors.ts';
import { CommandErrors } from './environment.ts';
import { printable } from './text.ts';

/** Returns the lines of an error. Each line is complete, so that scripts can search them. */
export function errorLines(error: unknown): readonly string[] {
  if (error instanceof CommandErrors) return error.lines.map((line) => `error: ${printable(line)}`);
  if (error instanceof ApiError)
    return causesOf(error).map((cause) =>
      printable(`Error from server (${error.reason}): ${cause}`),
    );
  return [`error: ${printable(fileError(error) ?? errorText(error))}`];
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

function messageOf({ code, reason, message }: ApiError): string {
  const marker = `: ${code} ${reason}: `;
  const start = message.indexOf(marker);
  return start < 0 ? message : message.slice(start + marker.length);
}
