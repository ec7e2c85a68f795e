/** Formats the results of `check`. Pure functions. */
import { columns, printable, type Palette } from '../program/text.ts';
import type { CheckResult } from './result.ts';

/** Returns one line for each result; each ends with a line break. */
export function checkText(results: readonly CheckResult[], palette: Palette): string {
  const styles = {
    ok: palette.good,
    warning: palette.warning,
    failed: palette.bad,
    skipped: palette.muted,
  };
  const rows = results.map(({ check, outcome, reason, message }) => [
    styles[outcome](outcome),
    check,
    printable(reason === undefined ? message : `${reason}: ${message}`),
  ]);
  return columns(rows)
    .map((line) => `${line}\n`)
    .join('');
}
