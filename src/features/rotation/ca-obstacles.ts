/** What forbids a rotation of `ca` besides what forbids one of any CA, in the words of a message: pure. */
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { PkiInputs } from '../../pki/types.ts';

/** Controller of kube-controller-manager that signs certificate requests. */
const SIGNING_CONTROLLER = 'csrsigning';

/** Both names that Kubernetes has for it. */
const NAMES = [SIGNING_CONTROLLER, 'certificatesigningrequest-signing-controller'];

/** What is known of a control plane. */
interface Seen {
  readonly snapshot: Pick<Snapshot, 'spec'>;
  readonly view: Pick<CertificatesView, 'sharesKey'> | undefined;
  readonly inputs: Pick<PkiInputs, 'holdsAdminPair'>;
}

/** Why this version cannot rotate `ca`. */
export function keptControlPlaneCa({ snapshot, view, inputs }: Seen): string | undefined {
  const { controllers = [] } = snapshot.spec.components.kubeControllerManager;
  if (view?.sharesKey === true || inputs.holdsAdminPair === true)
    return 'Pods of the Go operator use one of its certificates; complete the rollout of all components first';
  return controllers.length === 0 || signs(controllers)
    ? undefined
    : `spec.components.kubeControllerManager.controllers lacks ${SIGNING_CONTROLLER}, so that nothing shows whether kube-controller-manager has the new CA; add it`;
}

/** As kube-controller-manager reads the list: the first match counts, and `*` means the default ones. */
function signs(controllers: readonly string[]): boolean {
  if (NAMES.some((name) => controllers.includes(name))) return true;
  return controllers.includes('*') && !NAMES.some((name) => controllers.includes(`-${name}`));
}
