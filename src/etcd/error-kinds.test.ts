import { describe, expect, it } from '@jest/globals';
import { errorKindOf, nextStepOf, type EtcdErrorKind, type NextStep } from './error-kinds.ts';
import { CODE, EtcdConnectionError, EtcdStatusError, type Stage } from './errors.ts';

describe('errors of etcd', () => {
  // Status codes and texts of api/v3rpc/rpctypes/error.go of etcd 3.6.6. 14 for a queried learner is that of etcd 3.5.
  // etcd sends 2 (unknown) for two errors, because their entries in toGRPCErrorMap are errors for Go clients.
  it.each<[number, string, EtcdErrorKind, NextStep]>([
    [
      9,
      'etcdserver: can only promote a learner member which is in sync with leader',
      'learnerNotReady',
      'retry',
    ],
    [14, 'etcdserver: unhealthy cluster', 'unhealthyCluster', 'retry'],
    [14, 'etcdserver: no leader', 'noLeader', 'verify'],
    [2, 'etcdserver: too many requests', 'tooManyRequests', 'retry'],
    [8, 'etcdserver: too many requests', 'tooManyRequests', 'retry'],
    [9, 'etcdserver: too many learner members in cluster', 'tooManyLearners', 'observe'],
    [
      2,
      'etcdserver: re-configuration failed due to not enough started members',
      'notEnoughStarted',
      'observe',
    ],
    [
      9,
      'etcdserver: re-configuration failed due to not enough started members',
      'notEnoughStarted',
      'observe',
    ],
    [5, 'etcdserver: member not found', 'memberNotFound', 'observe'],
    [9, 'etcdserver: member ID already exist', 'memberExists', 'observe'],
    [9, 'etcdserver: Peer URLs already exists', 'peerURLExists', 'observe'],
    [9, 'etcdserver: can only promote a learner member', 'notLearner', 'observe'],
    [9, 'etcdserver: not leader', 'notLeader', 'observe'],
    [9, 'etcdserver: bad leader transferee', 'badTransferee', 'observe'],
    [9, 'etcdserver: rpc not supported for learner', 'queriedLearner', 'observe'],
    [14, 'etcdserver: rpc not supported for learner', 'queriedLearner', 'observe'],
    [11, 'etcdserver: mvcc: required revision has been compacted', 'compacted', 'observe'],
    [11, 'etcdserver: mvcc: required revision is a future revision', 'futureRevision', 'observe'],
    [8, 'etcdserver: mvcc: database space exceeded', 'noSpace', 'fail'],
    [15, 'etcdserver: corrupt cluster', 'corrupt', 'fail'],
    [3, 'etcdserver: given member URLs are invalid', 'badURL', 'fail'],
  ])('status %i "%s" is %s, next step %s', (status, text, kind, next) => {
    const error = new EtcdStatusError(status, text);
    expect([errorKindOf(error), nextStepOf(error)]).toEqual([kind, next]);
  });

  it.each<[number, string, NextStep]>([
    // A change can be in the log although etcd stopped waiting for it.
    [14, 'etcdserver: request timed out', 'verify'],
    [14, 'etcdserver: request timed out, possibly due to connection lost', 'verify'],
    [14, 'etcdserver: leader changed', 'verify'],
    [14, 'etcdserver: server stopped', 'verify'],
    [2, 'etcdserver: request timed out, leader transfer took too long', 'verify'],
    [4, 'etcdserver: context deadline exceeded', 'verify'],
    // The text alone is not enough.
    [2, 'etcdserver: not leader', 'verify'],
    [3, 'etcdserver: user name is empty', 'fail'],
    [7, 'etcdserver: permission denied', 'fail'],
    [9, 'etcdserver: cluster ID mismatch', 'fail'],
    [12, 'unknown method MemberPromote', 'fail'],
    [16, 'etcdserver: invalid auth token', 'fail'],
  ])('status %i "%s" has no kind, next step %s', (status, text, next) => {
    const error = new EtcdStatusError(status, text);
    expect([errorKindOf(error), nextStepOf(error)]).toEqual([undefined, next]);
  });

  it.each<[Stage, NextStep]>([
    ['resolve', 'retry'],
    ['connect', 'retry'],
    ['tls', 'retry'],
    ['answer', 'verify'],
  ])('a connection that fails in the stage %s has the next step %s', (stage, next) => {
    const error = new EtcdConnectionError({ stage, code: CODE.timeout });
    expect([errorKindOf(error), nextStepOf(error)]).toEqual([undefined, next]);
  });

  it('treats an unexpected error like an unknown outcome', () => {
    expect(nextStepOf(new Error('etcdserver: not leader'))).toBe('verify');
  });
});
