import type { KarmadaSpec } from '../karmada.ts';

const DEFAULT_DAYS = 365;

/** Returns the validity period of leaf certificates in days. */
export const leafValidityDays = ({
  customCertificate,
}: Pick<KarmadaSpec, 'customCertificate'>): number =>
  customCertificate?.leafCertValidityDays ?? DEFAULT_DAYS;
