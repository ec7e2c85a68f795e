/** Identities of the components in the Karmada API: pure. */
import type { Karmada, KarmadaStatus } from './karmada.ts';
import { kubernetesMinor } from './versions/versions.ts';

interface Subject {
  readonly commonName: string;
  readonly organization: string;
}

/** Group whose members pass every authorization. */
export const MASTERS_GROUP = 'system:masters';

/** Group of all components with an identity of their own. */
export const COMPONENTS_GROUP = 'system:karmada:components';

/** User of a component whose certificate is in `system:masters`. */
const mastersUser = (suffix: string): string => `system:karmada:${suffix}`;

/** User of a component. @param suffix name suffix of its workload */
export const identityUser = (suffix: string): string =>
  // Kubernetes has roles for this user.
  suffix === 'kube-controller-manager' ? `system:${suffix}` : mastersUser(suffix);

/** Subjects of the client certificate of a component. @param suffix name suffix of its workload */
export const componentSubjects = (
  suffix: string,
): Readonly<Record<'subject' | 'mastersSubject', Subject>> => ({
  subject: { commonName: identityUser(suffix), organization: COMPONENTS_GROUP },
  mastersSubject: { commonName: mastersUser(suffix), organization: MASTERS_GROUP },
});

/**
 * First Kubernetes minor version of a control plane whose components have identities of their own. FlowSchemas have this API version
 * since 1.29, so the API server also serves it before an upgrade to 1.30, and after a rollback from it.
 */
const FIRST_MINOR = 30;

/**
 * Whether components of a control plane can have identities of their own, which need a FlowSchema.
 * @param tag of the image of kube-apiserver; a tag without a version may be an old one
 */
export const allowsIdentities = (tag: string): boolean =>
  (kubernetesMinor(tag) ?? 0) >= FIRST_MINOR;

/** Annotation of a Karmada: which identities the certificates of its components have. */
const IDENTITIES_ANNOTATION = 'operator.karmada.io/component-identities';

type Annotated = Pick<Karmada, 'metadata'>;

const requestedIn = ({ metadata }: Annotated): string | undefined =>
  metadata.annotations?.[IDENTITIES_ANNOTATION];

/** Whether the user wants the components in the group `system:masters`, for example before a downgrade of the operator. */
export const usesMasters = (karmada: Annotated): boolean => requestedIn(karmada) === 'Masters';

/** Whether the user has asked for components outside of the group `system:masters`, and not only accepted the default. */
export const asksForOwn = (karmada: Annotated): boolean => requestedIn(karmada) === 'Own';

/**
 * Whether the components of a running control plane leave the group `system:masters`. They do unless the annotation holds it: `Keep`,
 * or a value that this version does not know.
 */
export const leavesMasters = (karmada: Annotated): boolean =>
  requestedIn(karmada) === undefined || asksForOwn(karmada);

/**
 * Whether the certificate of a component is its own according to the status, which has the decision before the certificate changes.
 * @returns undefined if the certificate keeps what it has
 */
export function decidedIdentity(
  { componentIdentities: { trial, proved = [], refused = [] } = {} }: KarmadaStatus,
  suffix: string,
): 'own' | 'masters' | undefined {
  if (refused.some(({ component }) => component === suffix)) return 'masters';
  return trial?.component === suffix || proved.includes(suffix) ? 'own' : undefined;
}
