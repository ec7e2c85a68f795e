import { writeFile } from 'node:fs/promises';
import { run } from '../../test/cluster/command.ts';
import { duration } from '../../test/cluster/progress.ts';
import { add, closingLine, none, type Counts } from './counts.ts';

/** Keeps the result of a full run, with the commit it was made on, in `docs/verification.md`. */
export async function writeVerification(
  results: readonly (readonly [string, Counts])[],
  about: { seed: number; milliseconds: number },
): Promise<void> {
  const commit = (await run(['git', 'rev-parse', '--short', 'HEAD'])).trim();
  const changed =
    (await run(['git', 'status', '--porcelain'])).trim() === '' ? '' : ' with changes';
  const rows = results.map(([name, counts]) => `| ${name} | ${closingLine(counts)} |`);
  const total = closingLine(results.map(([, counts]) => counts).reduce(add, none));
  const text = [
    '# Verification',
    '',
    'Result of the last `npm run test:all`, written by that command.',
    '',
    `- Commit: ${commit}${changed}`,
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Seed: ${String(about.seed)}`,
    `- Time: ${duration(about.milliseconds)}`,
    '',
    '| Suite | Result |',
    '| --- | --- |',
    ...rows,
    `| **all** | **${total}** |`,
    '',
  ];
  await writeFile('docs/verification.md', text.join('\n'));
}
