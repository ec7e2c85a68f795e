/**
 * Subjects of the certificates of components: pure. A certificate keeps the group that it has until something decides
 * otherwise, so that a new version of the operator reissues none of them for its subject.
 */
import { optionalField } from '../kubernetes/objects/records.ts';
import { CLIENT_COMPONENTS, LEAVES } from './inventory.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { LeafSpec, Subject } from './specs.ts';
import type { CertificateInfo } from './public-info.ts';
import type { ClientComponent, IdentityKind, IdentityPolicy } from './types.ts';

const KEEP: IdentityPolicy = { mayStartOwn: false, decided: {} };

interface SubjectContext {
  readonly info: CertificateSetInfo;
  /** Whether no component runs yet. Components start only when their roles exist. */
  readonly isNew: boolean;
  readonly policy?: IdentityPolicy | undefined;
}

/** Returns the certificates with the subjects that they get now. */
export function withSubjects(
  specs: readonly LeafSpec[],
  { info, isNew, policy = KEEP }: SubjectContext,
): readonly LeafSpec[] {
  const kinds = specs.map((spec) => kindOf(spec, info.leaves[spec.name]?.certificate));
  const isFree = (isNew || kinds.includes('own')) && !kinds.includes('masters');
  const startsOwn = policy.mayStartOwn && isFree;
  return specs.map((spec, index) => {
    const kept = kinds[index] ?? (startsOwn ? 'own' : 'masters');
    const kind = policy.decided[spec.name] ?? kept;
    return kind === 'masters' && spec.mastersSubject
      ? { ...spec, subject: spec.mastersSubject }
      : spec;
  });
}

/** Returns the identity of each component that has a certificate, by suffix. */
export const identitiesIn = ({
  leaves,
}: CertificateSetInfo): Readonly<Partial<Record<ClientComponent, IdentityKind>>> =>
  Object.assign(
    {},
    ...CLIENT_COMPONENTS.map((component) => {
      const spec = LEAVES.find(({ name }) => name === `${component}-client`);
      const certificate = leaves[`${component}-client`]?.certificate;
      return optionalField(component, spec && kindOf(spec, certificate));
    }),
  );

/**
 * The identity in a certificate; undefined without a certificate, and for those that have only one identity. A certificate that another
 * client has written to the Secret has none: it must not bring its component back into the group.
 */
function kindOf(
  { subject, mastersSubject }: LeafSpec,
  certificate: CertificateInfo | undefined,
): IdentityKind | undefined {
  if (mastersSubject === undefined || certificate === undefined) return undefined;
  if (isSubject(certificate, subject)) return 'own';
  return certificate.organizations.includes(mastersSubject.organization ?? '')
    ? 'masters'
    : undefined;
}

const isSubject = ({ commonName, organizations }: CertificateInfo, subject: Subject): boolean => {
  const [organization, ...others] = organizations;
  return (
    commonName === subject.commonName &&
    organization === subject.organization &&
    others.length === 0
  );
};
