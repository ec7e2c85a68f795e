/** Secrets that a Karmada references, and the certificates that the operator would issue. */
import type { Problem } from '../../api/reasons/problem.ts';
import { readCredentials } from '../../external-etcd/credentials.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { previewCertificates } from '../plan/preview-certificates.ts';
import { ungrantedSecrets } from '../plan-secrets.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';

/** Secrets in other namespaces that the control plane may not use, and the credentials of an external etcd. */
export async function secrets(subject: Subject): Promise<Found> {
  const { tools, client, karmada } = subject;
  const clients = { management: tools.client, host: client };
  const lines = await ungrantedSecrets(clients, karmada, tools.secretPolicy);
  const problem = lines.length > 0 ? undefined : await etcdProblem(subject);
  return {
    ok: 'the control plane may use all Secrets of its spec',
    problems: [
      ...lines.map((message) => ({ outcome: 'failed' as const, message })),
      ...(problem === undefined ? [] : [{ outcome: 'failed' as const, ...problem }]),
    ],
  };
}

/** Why the API servers could not use the Secret of an external etcd. */
async function etcdProblem({ tools, karmada, spec }: Subject): Promise<Problem | undefined> {
  const reference = spec.components.etcd.external?.secretRef;
  if (reference === undefined) return undefined;
  const { name = '', namespace = karmada.metadata.namespace ?? '' } = reference;
  const found = await tools.client.find(resources.Secret, { namespace, name });
  const data = found && (found.data ?? {});
  const secret = { name: `${namespace}/${name}`, ...(data && { data }) };
  const read = readCredentials(secret, new Date(tools.clock.wall()));
  return 'problem' in read ? read.problem : undefined;
}

/** Why the operator would issue no certificates, such as a custom CA with constraints. */
export async function certificates(subject: Subject): Promise<Found> {
  const { tools, client } = subject;
  const { result } = await previewCertificates({ ...tools, client }, subject);
  const ok = 'the operator can issue all certificates';
  if (result.outcome === 'blocked') {
    const { reason, message } = result;
    return { ok, problems: [{ outcome: 'failed', reason, message }] };
  }
  const { authorityFault } = result.plan;
  if (authorityFault === undefined) return { ok, problems: [] };
  return {
    ok,
    problems: [{ outcome: 'failed', reason: 'CustomAuthorityUnusable', message: authorityFault }],
  };
}
