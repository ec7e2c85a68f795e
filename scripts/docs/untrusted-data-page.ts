/** Page docs/reference/untrusted-data.md: limits for data that users and other servers control. */
import { sizeText } from '../../src/untrusted/limits.ts';
import { code, page, table } from './markdown.ts';
import { UNTRUSTED_INPUTS } from './untrusted-inputs.ts';

const INTRODUCTION = [
  'The operator parses data that users and other servers control only below these limits, and its time grows in proportion to the data.',
  'It reports data above a limit in the condition of the Karmada objects concerned, and keeps the last valid data in use if there is any.',
  'The limit for the number of values bounds the memory: a small text can have many of them.',
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
  ]);
}
