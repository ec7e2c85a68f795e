/** Formats the member clusters of a control plane as part of the tree of `status`. Pure functions. */
import type { MemberClusterState } from '../../api/member-clusters-status.ts';
import { daysUntil, printable, SOON_DAYS, type Palette, type TreeNode } from '../program/text.ts';
import type { StatusView } from './status-view.ts';

/** Returns the counts, and each member cluster that is not ready or whose credentials expire. */
export function memberClusterNodes(
  { memberClusters }: Pick<StatusView, 'memberClusters'>,
  { palette, now }: { readonly palette: Palette; readonly now: number },
): readonly TreeNode[] {
  if (memberClusters === undefined) return [];
  const { summary, total, ready, push, pull, clusters } = memberClusters;
  if (total === 0) return [{ text: 'Member clusters: none' }];
  const paint = ready === total ? palette.good : palette.bad;
  const down = clusters.filter((state) => state.ready !== 'True');
  const unlisted = total - ready - down.length;
  return [
    {
      text: `Member clusters: ${paint(printable(`${summary} ready`))}, ${push} push, ${pull} pull`,
      children: [
        ...clusters.flatMap((state) => lineOf(state, now) ?? []),
        ...(unlisted > 0 ? [`${unlisted} more not ready`] : []),
      ].map((text) => ({ text: printable(text) })),
    },
  ];
}

function lineOf(state: MemberClusterState, now: number): string | undefined {
  const { name, syncMode, ready, reason, since, credentialExpiry } = state;
  const isReady = ready === 'True';
  const expiry = expiryTexts(credentialExpiry, now);
  if (isReady && expiry.length === 0) return undefined;
  const parts = [
    ...(syncMode === undefined ? [] : [syncMode.toLowerCase()]),
    isReady ? 'ready' : `${ready === 'Unknown' ? 'state unknown' : 'not ready'}${because(reason)}`,
    ...(since === undefined ? [] : [`since ${since}`]),
    ...expiry,
  ];
  return `${name}: ${parts.join(', ')}`;
}

const because = (reason: string | undefined): string =>
  reason === undefined ? '' : ` (${reason})`;

/** Text about credentials that expire soon; empty for others. */
function expiryTexts(time: string | undefined, now: number): readonly string[] {
  const days = time === undefined ? Infinity : daysUntil(Date.parse(time), now);
  if (days >= SOON_DAYS) return [];
  return [days < 0 ? `credentials expired at ${time}` : `credentials expire at ${time}`];
}
