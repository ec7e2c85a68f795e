/** Result of the action that reads the certificates of a control plane, issues those that are due and writes them. */
import type { Problem } from '../api/reasons/problem.ts';
import type { ClientPair } from '../etcd/dial.ts';
import type { Credentials } from '../control-plane-access/credentials.ts';
import type { CertificatesMemo } from '../instance/instance-cache.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';

export type CertificatesOutcome =
  | {
      readonly outcome: 'ready';
      readonly memo: CertificatesMemo;
      /** Absent if the certificate of the operator cannot be issued. */
      readonly credentials?: Credentials;
      /** Client certificate for a local etcd; absent for an external one. */
      readonly etcdClient?: ClientPair;
      /** See `Known`. */
      readonly newBackup?: KubernetesObject;
    }
  | { readonly outcome: 'blocked'; readonly problem: Problem };
