/** Secrets that a Karmada references, and the certificates that the operator would issue. */
import { previewCertificates } from '../plan/preview-certificates.ts';
import { ungrantedSecrets } from '../plan-secrets.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';

/** Secrets in other namespaces that the control plane may not use. */
export async function secrets({ tools, client, karmada }: Subject): Promise<Found> {
  const clients = { management: tools.client, host: client };
  const lines = await ungrantedSecrets(clients, karmada, tools.secretPolicy);
  return {
    ok: 'the control plane may use all Secrets of its spec',
    problems: lines.map((message) => ({ outcome: 'failed', message })),
  };
}

/** Why the operator would issue no certificates, such as a custom CA with constraints. */
export async function certificates(subject: Subject): Promise<Found> {
  const { tools, client } = subject;
  const { result } = await previewCertificates({ ...tools, client }, subject);
  const ok = 'the operator can issue all certificates';
  if (result.outcome === 'hold') {
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
