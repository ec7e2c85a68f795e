/** Reads what decides about a release: the state of the checkout, and the recorded results of its suites. */
import { attempt, run } from '../../test/embedded-cluster/command.ts';
import { stale } from '../deploy/generate.ts';
import { inputKeys } from '../test/inputs.ts';
import { readLedger, suiteOf } from '../test/ledger.ts';
import { matchingFiles, projects } from '../test/stages.ts';
import { isUnitTest } from '../test/suites.ts';
import { tagOf, type SourceState, type VerifiedSuite } from './refusals.ts';
import { versionedFiles } from './version.ts';

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Returns commit and commit time of the checkout. */
export async function commitOf(root: string): Promise<{ commit: string; time: Date }> {
  const shown = await run(['git', 'show', '--no-patch', '--format=%H %ct', 'HEAD'], { cwd: root });
  const [commit = '', seconds] = shown.trim().split(' ');
  return { commit, time: new Date(Number(seconds) * 1000) };
}

/** Reads the state of the checkout. */
export async function sourceState(root: string, version: string): Promise<SourceState> {
  const git = async (...args: string[]): Promise<string[]> =>
    lines(await run(['git', ...args], { cwd: root }));
  const { commit } = await commitOf(root);
  const named = ['git', 'rev-parse', '--verify', '--quiet', `refs/tags/${tagOf(version)}^{commit}`];
  const { code, stdout } = await attempt(named, { cwd: root });
  return {
    version,
    commit,
    changes: (await git('status', '--porcelain')).map((line) => line.slice(3)),
    tagged: code === 0 ? stdout.trim() : undefined,
    tags: await git('tag', '--points-at', 'HEAD'),
    outdated: await stale(await versionedFiles()),
  };
}

/** Reads the recorded results of all test files. A unit test file is one case of the suite `unit`. */
export async function verifiedSuites(root: string): Promise<VerifiedSuite[]> {
  const files = matchingFiles(root, projects, []);
  const keys = await inputKeys(root, files);
  const units = readLedger(root, 'unit');
  return files.map((file) => {
    const suite = suiteOf(file);
    const rows = isUnitTest(file)
      ? units.filter((row) => row.case === suite)
      : readLedger(root, suite);
    return { suite, rows, key: keys.get(file) ?? '' };
  });
}
