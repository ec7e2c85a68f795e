/** Flags that limit the operator to single namespaces. */
import { InvalidArgumentError, type Command } from 'commander';
import { dnsLabel } from '../api/validation/syntax.ts';
import { CLUSTER_RESOURCES, type ClusterResource, type WatchScope } from './watch-scope.ts';

const listed = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
];

function namespaces(text: string): readonly string[] {
  const names = listed(text);
  if (names.every((name) => dnsLabel.matches(name))) return names;
  throw new InvalidArgumentError('must be a comma-separated list of namespaces.');
}

const isClusterResource = (name: string): name is ClusterResource =>
  CLUSTER_RESOURCES.some((one) => one === name);

function resources(text: string): readonly ClusterResource[] {
  const names = listed(text);
  if (names.every(isClusterResource)) return names;
  throw new InvalidArgumentError(
    `must be a comma-separated list of ${CLUSTER_RESOURCES.join(', ')}.`,
  );
}

export interface WatchFlags {
  watchNamespaces: readonly string[];
  withoutClusterPermissions: readonly ClusterResource[];
}

/** Adds these flags to a command. */
export function addWatchFlags(command: Command): Command {
  return command
    .option(
      '--watch-namespaces <namespace,...>',
      'the only namespaces in which the operator manages Karmada objects; all if empty',
      namespaces,
      [],
    )
    .option(
      '--without-cluster-permissions <resource,...>',
      'with --watch-namespaces, cluster-scoped resources that the operator must not read',
      resources,
      [],
    );
}

/** Undefined if the operator watches all namespaces. */
export const watchScope = ({
  watchNamespaces,
  withoutClusterPermissions: without,
}: WatchFlags): WatchScope | undefined =>
  watchNamespaces.length === 0 ? undefined : { namespaces: watchNamespaces, without };
