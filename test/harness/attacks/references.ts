/** Attacks with references to what is not the tenant's own: names, host clusters, and Secrets of other namespaces. */
import { ALLOWED_NAMESPACES_ANNOTATION } from '../../../src/api/secrets/secret-grant.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { SILENT_DOMAIN } from '../../../tools/embedded-cluster/addons.ts';
import { createCA, filesOf, leaf, secretOf } from '../external-etcd.ts';
import { numbered } from '../hosts/fleet.ts';
import { untilTold, type Attack } from './attack.ts';
import { karmadaIn } from './objects.ts';

const NAMES = 'attack-names';
/** Namespace of the tenant, and in the host cluster that of somebody else. */
export const HOST = 'attack-host';
const TOKEN = 'attack-token';
const PROBE = 'attack-probe';
/** Namespaces of Secrets that the tenant does not own. */
const PLATFORM = 'attack-platform';
const GRANTING = 'attack-granting';
/** Domains without the names, with DNS servers that say so, and with DNS servers that never answer. */
const DOMAINS = ['example.com', SILENT_DOMAIN];
const ABSENT = 'absent';
const PRESENT = 'present';

/** Etcd endpoints with different names, half of which do not exist; the DNS servers of the others never answer. */
export async function namesAttack(most = 40): Promise<Attack> {
  const ca = await createCA();
  const access = secretOf(
    { name: 'etcd', namespace: NAMES },
    filesOf(ca.certificate, await leaf(ca, NAMES)),
  );
  const names = numbered('etcd', most);
  const karmada = (name: string, index: number): KubernetesObject => {
    const domain = DOMAINS[index % DOMAINS.length] ?? '';
    return karmadaIn(NAMES, name, {
      components: {
        etcd: {
          external: {
            endpoints: [`https://${name}.${domain}:2379`],
            secretRef: { name: 'etcd' },
          },
        },
      },
    });
  };
  return {
    namespaces: [NAMES],
    objects: [access as KubernetesObject, ...names.map(karmada)],
    async reached(client) {
      const told = names.slice(0, DOMAINS.length).map((name) => {
        const place = { namespace: NAMES, name };
        return untilTold(client, place, 'EtcdReady', 'EtcdNameNotResolved', 'EtcdUnreachable');
      });
      return (await Promise.all(told)).join('; ');
    },
  };
}

/** A namespace of a host cluster without the consent of its owner. @param kubeconfig of the host cluster */
export const hostNamespaceAttack = (kubeconfig: string): Attack => ({
  namespaces: [HOST],
  objects: [
    secretOf({ name: 'host', namespace: HOST }, { kubeconfig }) as KubernetesObject,
    ...numbered('host', 5).map((name) =>
      karmadaIn(HOST, name, { hostCluster: { secretRef: { name: 'host', namespace: HOST } } }),
    ),
  ],
  reached: (client) =>
    untilTold(
      ...([client, { namespace: HOST, name: 'host-01' }, 'HostReachable'] as const),
      'HostNamespaceNotGranted',
    ),
});

const hostOf = (
  { name, namespace }: { readonly name: string; readonly namespace: string },
  from: string,
  apiEndpoint: string,
): KubernetesObject =>
  karmadaIn(from, name, { hostCluster: { apiEndpoint, secretRef: { name, namespace } } });

async function hostSecret(
  name: string,
  namespace: string,
  annotations: Record<string, string> = {},
): Promise<KubernetesObject> {
  const { certificate } = await createCA();
  const files = { token: 'token', caBundle: certificate };
  return secretOf({ name, namespace, annotations }, files) as KubernetesObject;
}

/** A granted Secret of another namespace whose token should go to the server of the tenant. @param server URL of that server */
export const tokenAttack = async (server: string): Promise<Attack> => ({
  namespaces: [GRANTING, TOKEN],
  objects: [
    await hostSecret('granted', GRANTING, { [ALLOWED_NAMESPACES_ANNOTATION]: '*' }),
    hostOf({ name: 'granted', namespace: GRANTING }, TOKEN, server),
  ],
  reached: (client) =>
    untilTold(
      ...([client, { namespace: TOKEN, name: 'granted' }, 'HostReachable'] as const),
      'HostServerNotGranted',
    ),
});

/** Secrets of another namespace that are not granted, which exist or not. @param server URL of a server of the tenant */
export const probeAttack = async (server: string): Promise<Attack> => ({
  namespaces: [PLATFORM, PROBE],
  objects: [
    await hostSecret(PRESENT, PLATFORM),
    ...[PRESENT, ABSENT].map((name) => hostOf({ name, namespace: PLATFORM }, PROBE, server)),
  ],
  async reached(client) {
    const answer = async (name: string): Promise<string> => {
      const place = { namespace: PROBE, name };
      const told = await untilTold(client, place, 'HostReachable', 'SecretNotGranted');
      return told.replaceAll(name, 'NAME');
    };
    const [present, absent] = [await answer(PRESENT), await answer(ABSENT)];
    if (present !== absent)
      throw new Error(`a missing Secret is told from an existing one: ${present} / ${absent}`);
    return absent;
  },
});
