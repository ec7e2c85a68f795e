/** Files with the roles, for messages. */
const REMEDY = {
  own: 'update the Helm release of the operator, or apply config/deploy/2-rights.yaml',
  remote: 'apply config/remote-host/rights.yaml there',
} as const;

/**
 * What a user reads about rights that are missing.
 * @param at names the cluster
 * @param rights such as `patch persistentvolumeclaims`
 * @param answer of the API server to a call that it forbade, if that is known
 */
export function missingRightsText(
  at: string,
  rights: readonly string[],
  { where, answer }: { readonly where: keyof typeof REMEDY; readonly answer?: string },
): string {
  const cause = answer === undefined ? '' : `; the API server answered ${answer}`;
  return `${at}: the role of the operator lacks ${rights.join(', ')}${cause}; ${REMEDY[where]}. The operator does not do what needs these rights.`;
}
