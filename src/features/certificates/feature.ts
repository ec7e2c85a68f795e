import type { CheckInput, ExecutionContext, Feature } from '../../actions/feature.ts';
import { ensureInstanceCertificates, type CertificateTools } from './certificates.ts';
import { CACHE_GRACE_MS, changedSecrets } from './observe-certificates.ts';

/** Limits how often certificates are read again that can be renewed only later. */
const MIN_RENEWAL_MS = 1_000;

/** No event signals that a certificate is due. A Secret that the cache does not contain yet is read again soon. */
function msUntilCheck({ instance, snapshot, view, clock }: CheckInput): number {
  const memo = instance.certificates;
  const secrets = snapshot.host.objects.filter(({ kind }) => kind === 'Secret');
  const isUnsure = memo !== undefined && changedSecrets(memo, secrets).length > 0;
  const renewalMs = view && Math.max(MIN_RENEWAL_MS, view.checkAt - clock.wall());
  return Math.min(renewalMs ?? Infinity, isUnsure ? CACHE_GRACE_MS : Infinity);
}

/** The CAs and certificates of a control plane, and the Secrets that contain them. */
export const certificates = {
  name: 'certificates',
  executors: ({ tools }: ExecutionContext<CertificateTools>) => ({
    issueCertificates: async ({ inputs, snapshot }) => ({
      certificates: await ensureInstanceCertificates(tools, inputs, snapshot),
    }),
  }),
  msUntilCheck,
} satisfies Feature<CertificateTools>;
