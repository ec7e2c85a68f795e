/** What to do, with the files that contain the roles. */
const REMEDY = {
  own: 'update the Helm release of the operator, or apply config/deploy/2-rights.yaml',
  remote: 'apply config/remote-host/rights.yaml to that cluster',
} as const;

/**
 * Formats the condition message about missing RBAC permissions.
 * @param at the cluster, as the start of the message
 * @param rights missing permissions such as `patch persistentvolumeclaims`
 * @param options `where`: management cluster (`own`) or remote host cluster; `answer`: response of the API server to a
 *   forbidden call, if known
 */
export function missingPermissionsText(
  at: string,
  rights: readonly string[],
  { where, answer }: { readonly where: keyof typeof REMEDY; readonly answer?: string },
): string {
  const cause = answer === undefined ? '' : ` (the API server answered ${answer})`;
  return `${at}: the operator lacks RBAC permissions to ${rights.join(', ')}${cause}; ${REMEDY[where]}. The operator skips actions that need these permissions.`;
}
