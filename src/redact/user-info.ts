/** User information in URLs and in names of data sources. Pure functions, linear in the length of the text. */
import { REDACTED } from './redacted.ts';

/** Text without spaces and quotes, which may be a URL. */
const RUN = /[^\s"'<>]+/g;

/** End of the scheme of a URL, which may be percent-encoded once or twice, and escaped in JSON. */
const SCHEME_END = /(?<=[a-z\d+.-])(?::|%(?:25)?3a)(?:\\?\/|%(?:25)?2f){2}/i;

/** Colon in percent-encoded credentials. */
const ENCODED_COLON = /%(?:25)?3a(?!%(?:25)?2f)/i;

/** Colon before the password of a data source, such as `root:password@tcp(db)/name`. */
const COLON = /(?<=[\w%]):(?!(?:\\?\/){2})/;

/** An image with a digest has the same shape as a data source. */
const HOST = /(?!sha\d{3}:)[\w([/]/iy;

/** Signs that end user information. */
const ENDS = ['@', '%40', '%2540'] as const;

/** Replaces user information in URLs, percent-encoded credentials, and passwords in names of data sources. */
export const withoutUserInfo = (text: string): string =>
  text.replaceAll(RUN, (run) =>
    ENDS.some((end) => run.includes(end)) ? ofSource(ofEncoded(ofUrl(run))) : run,
  );

const lastEnd = (run: string): number => Math.max(...ENDS.map((end) => run.lastIndexOf(end)));

const ofUrl = (run: string): string => replaced(run, SCHEME_END, lastEnd(run));

const ofEncoded = (run: string): string =>
  replaced(run, ENCODED_COLON, Math.max(run.lastIndexOf('%40'), run.lastIndexOf('%2540')));

const ofSource = (run: string): string => replaced(run, COLON, lastBeforeHost(run));

/** Replaces what stands between the first match of a pattern and an index. */
function replaced(run: string, before: RegExp, end: number): string {
  const found = end < 0 ? null : before.exec(run);
  if (found === null) return run;
  const start = found.index + found[0].length;
  return start < end ? `${run.slice(0, start)}${REDACTED}${run.slice(end)}` : run;
}

function lastBeforeHost(run: string): number {
  for (let at = run.lastIndexOf('@'); at > 0; at = run.lastIndexOf('@', at - 1)) {
    HOST.lastIndex = at + 1;
    if (HOST.test(run)) return at;
  }
  return -1;
}

/** Returns the credentials and the passwords in the URLs and names of data sources of a text, as they are written there. */
export function userInfoIn(text: string): readonly string[] {
  // A password in a value may contain quotes.
  const runs = new Set([...(text.match(RUN) ?? []), ...(text.match(/\S+/g) ?? [])]);
  return [...runs]
    .filter((run) => run.includes('@'))
    .flatMap((run) => [run, ...listed(run)].flatMap(ofRun));
}

/** Entries of a list of URLs. A password may contain the same signs. */
const listed = (run: string): readonly string[] => (/[,;]/.test(run) ? run.split(/[,;]/) : []);

function ofRun(run: string): readonly string[] {
  const scheme = SCHEME_END.exec(run);
  const start = scheme === null ? 0 : scheme.index + scheme[0].length;
  const ends = new Set([run.indexOf('@', start), lastBeforeHost(run)]);
  return [...ends]
    .filter((end) => end > start && !/^@sha\d{3}:/.test(run.slice(end, end + 8)))
    .flatMap((end) => credentialsIn(run.slice(start, end), scheme !== null));
}

/** User and password, and the password: after the first colon, or as in `jdbc:oracle:thin:user/password@host`. */
function credentialsIn(info: string, isUrl: boolean): readonly string[] {
  const colon = info.indexOf(':');
  if (colon < 0) return isUrl ? [info] : [];
  const afterSlash = isUrl ? [] : [info.slice(info.lastIndexOf('/') + 1)];
  return [info, info.slice(colon + 1), info.slice(info.lastIndexOf(':') + 1), ...afterSlash];
}
