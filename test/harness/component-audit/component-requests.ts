/**
 * What the audit log of a control plane shows about the permissions of its components: which requests were forbidden, and which rules
 * of their roles no request has used. Pure functions.
 */
import { COMPONENTS_GROUP } from '../../../src/api/identities.ts';
import { GROUP_GRANTS, IDENTITIES, type Grant } from '../../../src/controlplane/rbac-rules.ts';
import {
  permissionText,
  reviewsOfGrant,
  type AccessReview,
} from '../../../src/features/identities/access-reviews.ts';
import { ruleAllows } from '../../../src/features/identities/rbac-evaluation.ts';
import type { RawEvent } from '../../../tools/embedded-cluster/audit.ts';
import { UNUSED_BY_DESIGN } from './unused-by-design.ts';

type Asked = Pick<AccessReview, 'resourceAttributes' | 'nonResourceAttributes'>;

/** A request of a component. */
export interface ComponentRequest {
  readonly id: string;
  /** Suffix of the component. */
  readonly component: string;
  readonly isForbidden: boolean;
  readonly asked: Asked;
  /** Reason of the authorizer. */
  readonly reason: string;
}

interface AuditLine extends RawEvent {
  readonly auditID?: string;
  readonly user?: { readonly username?: string; readonly groups?: readonly string[] };
  readonly annotations?: Readonly<Record<string, string>>;
}

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

function parsed(line: string): AuditLine | undefined {
  try {
    return JSON.parse(line) as AuditLine;
  } catch {
    return undefined;
  }
}

/** Parses a line of an audit log. @returns undefined for other users, and for a line that is no event with a decision */
export function componentRequest(line: string): ComponentRequest | undefined {
  const event = parsed(line) ?? {};
  const { annotations = {}, auditID = '' } = event;
  const component = componentOf(event);
  const decision = annotations[DECISION];
  if (component === undefined || decision === undefined) return undefined;
  return {
    id: auditID,
    component,
    isForbidden: decision !== 'allow',
    asked: askedIn(event),
    reason: annotations[REASON] ?? '',
  };
}

function componentOf({ user }: AuditLine): ComponentRequest['component'] | undefined {
  if (user?.groups?.includes(COMPONENTS_GROUP) !== true) return undefined;
  return IDENTITIES.find((one) => one.user === user.username)?.suffix;
}

function askedIn({ objectRef, verb = '', requestURI = '' }: AuditLine): Asked {
  if (objectRef?.resource === undefined)
    return { nonResourceAttributes: { path: requestURI.replace(/\?.*$/, ''), verb } };
  const { resource, subresource, apiGroup: group = '', namespace, name } = objectRef;
  return {
    resourceAttributes: {
      ...{ group, resource, verb },
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    },
  };
}

/**
 * Requests with the same key are the same finding. Each forbidden one counts; of the others, which a suite of an hour sends in
 * hundreds of thousands, those for different objects are one.
 */
export function requestKey({ id, component, isForbidden, asked }: ComponentRequest): string {
  if (isForbidden) return id;
  const { resourceAttributes, nonResourceAttributes } = asked;
  const resource = resourceAttributes && { ...resourceAttributes, name: undefined };
  return JSON.stringify([component, resource, nonResourceAttributes]);
}

const count = (texts: readonly string[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort().map(([text, number]) => `${String(number)} ${text}`);
};

/** Names the forbidden requests with their number: `2 scheduler: get configmaps in a`. */
export const forbiddenIn = (requests: readonly ComponentRequest[]): readonly string[] =>
  count(
    requests
      .filter(({ isForbidden }) => isForbidden)
      .map(({ component, asked }) => `${component}: ${permissionText(asked)}`),
  );

/** A permission that a role has, and no request has used. */
interface UnusedPermission {
  readonly component: string;
  readonly permission: string;
  /** Why that is right; absent if nobody has reviewed it. */
  readonly reviewed?: string;
}

const uses = (
  { namespace }: Grant,
  { asked: { resourceAttributes, nonResourceAttributes } }: ComponentRequest,
  permission: Asked,
): boolean => {
  const { resourceAttributes: of, nonResourceAttributes: path } = permission;
  if (path)
    return ruleAllows(
      { nonResourceURLs: [path.path], verbs: [path.verb] },
      { ...(nonResourceAttributes && { nonResourceAttributes }) },
    );
  if (of === undefined || resourceAttributes === undefined) return false;
  const whole = of.subresource === undefined ? of.resource : `${of.resource}/${of.subresource}`;
  const rule = { apiGroups: [of.group], resources: [whole], verbs: [of.verb] };
  const isThere = namespace === undefined || namespace === resourceAttributes.namespace;
  return isThere && ruleAllows(rule, { resourceAttributes });
};

/** Returns what the roles of these components allow and no request has used. @param components suffixes of installed components */
export function unusedPermissions(
  requests: readonly ComponentRequest[],
  components: readonly string[],
): readonly UnusedPermission[] {
  const installed = IDENTITIES.filter(({ suffix }) => components.includes(suffix));
  const own = installed.flatMap(({ suffix, grants }) =>
    unusedOf(
      suffix,
      grants,
      requests.filter(({ component }) => component === suffix),
    ),
  );
  return [...own, ...unusedOf('all', GROUP_GRANTS, requests)];
}

const unusedOf = (
  component: string,
  grants: readonly Grant[],
  requests: readonly ComponentRequest[],
): readonly UnusedPermission[] =>
  grants.flatMap((grant) => {
    const isUsed = (permission: Asked): boolean =>
      requests.some((request) => uses(grant, request, permission));
    return reviewsOfGrant(grant)
      .filter((permission) => !isUsed(permission))
      .map((permission) => {
        const text = permissionText(permission);
        const reviewed = isUsed(asWatch(permission)) ? STREAMED : reviewOf(component, text);
        return { component, permission: text, ...(reviewed !== undefined && { reviewed }) };
      });
  });

/** A cache gets its initial list from a watch. It lists if the API server does not offer that. */
const STREAMED =
  'only if the watch sends no initial list: k8s.io/client-go/tools/cache/reflector.go';

/** The permission to watch what another one lists; other permissions stay. */
function asWatch(permission: Asked): Asked {
  const { resourceAttributes: of } = permission;
  return of?.verb === 'list' ? { resourceAttributes: { ...of, verb: 'watch' } } : permission;
}

const reviewOf = (component: string, permission: string): string | undefined =>
  UNUSED_BY_DESIGN.find(
    (one) => one.permission === permission && ['all', component].includes(one.component),
  )?.reason;

/** Names the permissions that no request has used, and for which `UNUSED_BY_DESIGN` has no reason. @param unused see `unusedPermissions` */
export const unreviewedIn = (unused: readonly UnusedPermission[]): readonly string[] =>
  unused
    .filter(({ reviewed }) => reviewed === undefined)
    .map(({ component, permission }) => `${component}: ${permission}`);

/** Report about a control plane, one line for each finding. */
export function auditReport(
  requests: readonly ComponentRequest[],
  unused: readonly UnusedPermission[],
): string {
  const lines = unused.map(
    ({ component, permission, reviewed }) =>
      `${component}: ${permission}: ${reviewed ?? 'NOT REVIEWED'}`,
  );
  const parts = [
    ['Different requests', count(requests.map(({ component }) => component))],
    ['Forbidden', forbiddenIn(requests)],
    ['Granted and not used', lines],
  ] as const;
  return parts.map(([title, texts]) => [title, ...texts, ''].join('\n')).join('\n');
}
