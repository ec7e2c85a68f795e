/** API servers with the roles of this repository, and what was asked of them with these roles. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubernetesClient } from '../../../src/kubernetes/contract.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { karmadas } from '../../../src/hosts/host.ts';
import { rightText, type Right } from '../../../src/rights/right.ts';
import { checkout } from '../../cluster/paths.ts';
import { startApiServer, type ApiServer } from '../apiserver.ts';
import { adminClient, clientWith } from '../kubernetes/fixture.ts';

const NAMESPACE = 'karmada-system';
export interface WithRoles {
  readonly api: ApiServer;
  readonly admin: KubernetesClient;
  /** A client with the roles of the file, and no other. */
  readonly client: KubernetesClient;
  /** Client certificate of that user. */
  readonly pair: ApiServer['admin'];
  /** Rights that were made use of so far, such as `patch deployments.apps`. */
  used(): Promise<Set<string>>;
  /** Calls that RBAC or an admission plugin forbade so far. */
  forbidden(): Promise<string[]>;
  /** Applies the file, or what `edit` makes of its objects. */
  grant(edit?: (object: KubernetesObject) => KubernetesObject): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param file with the roles, below the checkout
 * @param account ServiceAccount in karmada-system that the file binds them to
 */
export async function startWithRoles(file: string, account: string): Promise<WithRoles> {
  // Where owner references are checked, a role may lack what no cluster without the check asks for.
  const flags = ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'];
  const api = await startApiServer({ audit: true, flags });
  const admin = adminClient(api, { resources: [karmadas] });
  const user = `system:serviceaccount:${NAMESPACE}:${account}`;
  const pair = await api.clientPair(user, 'test');
  const objects = loadAll(await readFile(join(checkout, file), 'utf8')) as KubernetesObject[];
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  const grant: WithRoles['grant'] = async (edit = (object) => object) => {
    for (const object of [namespace, ...objects.map(edit)])
      await admin.apply(object, { fieldManager: 'admin', force: true });
  };
  await grant();
  const client = clientWith(api, pair, { resources: [karmadas] });
  const own = async () => (await api.auditLog()).filter((entry) => entry.user === user);
  return {
    ...{ api, admin, client, pair, grant },
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

/** An apply that creates an object, and a forwarded port, are authorized twice; the audit log shows the first verb alone. */
function textsOf({ verb, resource, code }: { verb: string; resource: string; code: number }) {
  const isTwofold = (verb === 'patch' && code === 201) || resource === 'pods/portforward';
  return [`${verb} ${resource}`, ...(isTwofold ? [`create ${resource}`] : [])];
}

/** What every user may ask, which is no right of a role: the version, and reviews of the own rights. */
export const isCommon = (right: string): boolean => /^\w+ (\/|selfsubject)/.test(right);

/** As the audit log has it, which for most verbs names no object. */
export const loggedText = ({ verb, group, resource }: Right): string =>
  rightText({ verb, group, resource });
