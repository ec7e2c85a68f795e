import { appendFile, writeFile } from 'node:fs/promises';
import { run } from '../../test/cluster/command.ts';
import { duration } from '../../test/cluster/progress.ts';
import { add, closingLine, none, type Counts } from './counts.ts';

const file = 'docs/verification.md';

/** Short hash of the commit that is tested, and whether the work tree differs from it. */
async function testedCommit(): Promise<string> {
  const commit = (await run(['git', 'rev-parse', '--short', 'HEAD'])).trim();
  const clean = (await run(['git', 'status', '--porcelain', '--', ':!docs'])).trim() === '';
  return clean ? commit : `${commit} with changes`;
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** Adds the result of a part that was run again, in full, after the run that the file is about. */
export async function addVerification(part: string, counts: Counts): Promise<void> {
  const about = `commit ${await testedCommit()}, ${today()}`;
  await appendFile(file, `\nRun again: \`${part}\`, ${about}: ${closingLine(counts)}.\n`);
}

/** Keeps the result of a full run, with the commit it was made on, in `docs/verification.md`. */
export async function writeVerification(
  results: readonly (readonly [string, Counts])[],
  about: { seed: number; milliseconds: number },
): Promise<void> {
  const rows = results.map(([name, counts]) => `| ${name} | ${closingLine(counts)} |`);
  const total = closingLine(results.map(([, counts]) => counts).reduce(add, none));
  const text = [
    '# Verification',
    '',
    'Result of the last `npm run test:all`, written by that command.',
    '',
    `- Commit: ${await testedCommit()}`,
    `- Date: ${today()}`,
    `- Seed: ${String(about.seed)}`,
    `- Time: ${duration(about.milliseconds)}`,
    '',
    '| Suite | Result |',
    '| --- | --- |',
    ...rows,
    `| **all** | **${total}** |`,
    '',
  ];
  await writeFile(file, text.join('\n'));
}
