/** Page docs/reference/untrusted-data.md: limits for data that users and other servers control. */
import { sizeText } from '../../src/untrusted/limits.ts';
import { code, page, table } from './markdown.ts';
import { UNTRUSTED_INPUTS } from './untrusted-inputs.ts';

const INTRODUCTION = [
  'The operator parses data that users and other servers control only below these limits, and its time grows in proportion to the data.',
  'It reports data above a limit in the condition of the Karmada objects concerned, and keeps the last valid data in use if there is any.',
  'The limit for the number of values bounds the memory: a small text can have many of them.',
].join(' ');

const SPECS = [
  'A spec of a Karmada has no limit other than that of the object: an API server accepts requests of 3 MiB, and etcd of 1.5 MiB by default.',
  'The time of each function that reads a spec grows in proportion to the spec, too.',
  'Messages name 20 entries of a list or map, and the number of the others.',
].join(' ');

/** Returns the page, not formatted. */
export function untrustedDataPage(): string {
  const rows = UNTRUSTED_INPUTS.map(({ data, owner, limit, more = '', reader }) => [
    data,
    owner,
    sizeText(limit),
    more,
    code(reader),
  ]);
  return page('Limits for untrusted data', [
    INTRODUCTION,
    table(['Data', 'Who controls it', 'Limit', 'Further limits', 'Reader'], rows),
    SPECS,
  ]);
}
