/** API servers with the roles of this repository, and the requests made with these roles. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { karmadaBackups } from '../../../src/api/backup/kinds.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { namespacedType } from '../../../src/kubernetes/objects/resources.ts';
import { permissionText, type Permission } from '../../../src/permissions/permission.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, clientWith } from '../../harness/servers/apiserver-client.ts';

/** Events as the kubelet writes them. */
const coreEvents = namespacedType('v1', 'Event', 'events');

const NAMESPACE = 'karmada-system';
export interface WithRoles {
  readonly api: ApiServer;
  readonly admin: KubernetesClient;
  /** Client with only the roles of the file. */
  readonly client: KubernetesClient;
  /** Client certificate of that user. */
  readonly pair: ApiServer['admin'];
  /** Permissions used so far, for example `patch deployments.apps`. */
  used(): Promise<Set<string>>;
  /** Calls forbidden so far by RBAC or an admission plugin. */
  forbidden(): Promise<string[]>;
  /** Applies the file, with its objects changed by `edit`. */
  grant(edit?: (object: KubernetesObject) => KubernetesObject): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param file file with the roles, below the checkout
 * @param account ServiceAccount in karmada-system that the file binds the roles to
 */
export async function startWithRoles(file: string, account: string): Promise<WithRoles> {
  // This plugin requires additional permissions for owner references. Tests without it would not detect that they are
  // missing.
  const flags = ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'];
  const api = await startApiServer({ audit: true, flags });
  const admin = adminClient(api, { resources: [karmadas, coreEvents] });
  const user = `system:serviceaccount:${NAMESPACE}:${account}`;
  const pair = await api.clientPair(user, 'test');
  const objects = loadAll(await readFile(join(checkout, file), 'utf8')) as KubernetesObject[];
  const names = new Set([
    NAMESPACE,
    ...objects.flatMap(({ metadata }) => metadata.namespace ?? []),
  ]);
  const namespaces = [...names].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  const grant: WithRoles['grant'] = async (edit = (object) => object) => {
    for (const object of [...namespaces, ...objects.map(edit)])
      await admin.apply(object, { fieldManager: 'admin', force: true });
  };
  await grant();
  const client = clientWith(api, pair, { resources: [karmadas, karmadaBackups] });
  const own = async () => (await api.auditLog()).filter((entry) => entry.user === user);
  return {
    api,
    admin,
    client,
    pair,
    grant,
    async used() {
      const found = (await own()).filter(({ code }) => code !== 403);
      return new Set(found.flatMap(textsOf));
    },
    async forbidden() {
      const found = (await own()).filter(({ code }) => code === 403);
      return found.map(({ verb, resource }) => `${verb} ${resource}`);
    },
    async stop() {
      await Promise.all([client.close(), admin.close()]);
      await api.stop();
    },
  };
}

/** A create by apply, and a port-forward, are authorized twice; the audit log contains only the first verb. */
function textsOf({ verb, resource, code }: { verb: string; resource: string; code: number }) {
  const isTwofold = (verb === 'patch' && code === 201) || resource === 'pods/portforward';
  return [`${verb} ${resource}`, ...(isTwofold ? [`create ${resource}`] : [])];
}

/** Permissions that an admission plugin checks for another request, so the audit log does not contain them. */
export const isByAdmission = (right: string): boolean => right.includes('/finalizers');

/** Requests that all users may send and no role grants: the version, and reviews of the user's own permissions. */
export const isCommon = (right: string): boolean => /^\w+ (\/|selfsubject)/.test(right);

/** Format of the audit log, which for most verbs contains no object name. */
export const loggedText = ({ verb, group, resource }: Permission): string =>
  permissionText({ verb, group, resource });
