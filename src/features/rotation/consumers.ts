/**
 * What the components trust and present, and what shows that: the table behind the proofs. `pki/inventory.ts` lists the
 * same consumers for issuing and restarts; a test compares both.
 */
import type { Consumer } from '../../pki/specs.ts';
import type { RotationAuthority } from './authority.ts';
import type { Question } from './facts.ts';

export interface ConsumerRow {
  readonly component: Consumer;
  /** Shows which roots each of its Pods accepts. */
  readonly question?: Question;
  /** It accepts another root only after a restart. */
  readonly restarts?: true;
  /** It trusts a bundle that it reads at start, as a client: nothing shows which one. */
  readonly hasHiddenTrust?: true;
  /** Endpoints at which each of its Pods presents a certificate or a token. */
  readonly presents?: readonly string[];
  /** It presents a certificate only to others, or signs with a key, that it reads at start. */
  readonly hasHiddenLeaf?: true;
}

const client = (component: Consumer): ConsumerRow => ({ component, hasHiddenTrust: true });

const aggregated = (component: Consumer): ConsumerRow => ({
  component,
  question: 'forbiddenCall',
  hasHiddenTrust: true,
  presents: ['https'],
});

const frontProxied = (component: Consumer): ConsumerRow => ({
  component,
  question: 'forbiddenCall',
});

export const CONSUMERS: Readonly<Record<RotationAuthority, readonly ConsumerRow[]>> = {
  'service-account-key': [
    { component: 'apiserver', question: 'publicKeys', restarts: true, presents: ['token'] },
    { component: 'kube-controller-manager', hasHiddenLeaf: true },
  ],
  'front-proxy-ca': [
    { component: 'apiserver', question: 'selfSubjectReview' },
    frontProxied('aggregated-apiserver'),
    frontProxied('metrics-adapter'),
    frontProxied('search'),
  ],
  'etcd-ca': [
    { component: 'etcd', question: 'etcdStatus', restarts: true, presents: ['client', 'peer'] },
    client('apiserver'),
    client('aggregated-apiserver'),
    client('search'),
  ],
  ca: [
    { component: 'apiserver', question: 'selfSubjectReview', presents: ['https'] },
    aggregated('aggregated-apiserver'),
    client('kube-controller-manager'),
    { ...client('webhook'), presents: ['https'] },
    client('controller-manager'),
    {
      component: 'scheduler-estimator',
      ...{ question: 'http2Settings', restarts: true, presents: ['grpc'] },
    },
    { ...client('scheduler'), hasHiddenLeaf: true },
    { ...client('descheduler'), hasHiddenLeaf: true },
    aggregated('metrics-adapter'),
    aggregated('search'),
  ],
};
