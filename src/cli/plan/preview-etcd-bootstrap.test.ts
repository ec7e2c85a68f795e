import { expect, it } from '@jest/globals';
import {
  given,
  NOT_READY,
  unavailable,
  type Facts,
} from '../../etcd-cluster/identity/__fixtures__/founding.ts';
import { previewEtcdBootstrap } from './preview-etcd-bootstrap.ts';

it.each<[string, Facts, boolean]>([
  ['of an etcd that crashed from the beginning', {}, true],
  ['without a record', { record: undefined }, false],
  ['of a control plane that was Ready', { status: { ...NOT_READY, secretRef: {} } }, false],
  ['whose API server was available', { server: unavailable('NewReplicaSetAvailable') }, false],
])('a preview assumes that no data exists only by recorded facts: %s', (_, facts, expected) => {
  expect(previewEtcdBootstrap(given(facts).snapshot)?.neverServed === true).toBe(expected);
});
