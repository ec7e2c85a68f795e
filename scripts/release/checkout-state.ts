/** Reads the state of the checkout, which decides about a release. */
import { attempt, run } from '../../tools/embedded-cluster/command.ts';
import { stale } from '../deploy/generate.ts';
import { tagOf, type SourceState } from './refusals.ts';
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
