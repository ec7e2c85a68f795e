import type { Known, Round, RoundDecision } from '../../actions/round.ts';
import type { ExecutionResult } from '../../actions/execution-result.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { withClusterAddresses } from './pki-inputs.ts';

/** Reads the certificates and renews them, if that is due. */
function decide({ snapshot, pki, present }: Known): RoundDecision {
  const { certificates } = snapshot;
  if (certificates.state === 'valid')
    return { actions: [], learn: () => ({ view: certificates.view }) };
  const inputs = withClusterAddresses(pki, snapshot.host.objects);
  const learn = ({ certificates: result }: ExecutionResult): Partial<Known> => {
    if (result === undefined) return {};
    if (result.outcome === 'ready') {
      const { memo, newBackup } = result;
      return { view: memo.view, pki: inputs, ...(newBackup && { newBackup }) };
    }
    const { last } = certificates;
    return { certificateProblem: result.problem, ...(last && { view: last }) };
  };
  const action = { kind: 'issueCertificates', inputs, snapshot } as const;
  return { actions: [{ ...action, ...optionalField('present', present) }], learn };
}

/** Certificates, with the addresses of the Services of the round before. */
export const certificatesRound = { name: 'certificates', decide } satisfies Round<unknown>;
