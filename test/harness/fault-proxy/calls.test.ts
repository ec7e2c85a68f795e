import { describe, expect, it } from '@jest/globals';
import { callOf, type Call } from './calls.ts';

const secrets = '/api/v1/namespaces/faults-1/secrets';

describe('callOf', () => {
  it.each<[string, string, Call | undefined]>([
    [
      'POST',
      `${secrets}?fieldManager=x`,
      { what: 'host POST /api/v1/namespaces/NAMESPACE/secrets/x-cert', sort: 'write' },
    ],
    [
      'GET',
      `${secrets}/faults-10-x`,
      { what: 'host GET /api/v1/namespaces/NAMESPACE/secrets/faults-10-x', sort: 'read' },
    ],
    ['GET', '/api/v1/secrets?limit=500', { what: 'host GET /api/v1/secrets', sort: 'read' }],
    [
      'GET',
      '/api/v1/secrets?watch=true&resourceVersion=7',
      { what: 'host WATCH /api/v1/secrets', sort: 'watch' },
    ],
    [
      'POST',
      '/apis/x/v1/y?dryRun=All',
      { what: 'host POST /apis/x/v1/y/x-cert as a dry run', sort: 'read' },
    ],
    ['DELETE', '/api/v1/pods/x', { what: 'host DELETE /api/v1/pods/x', sort: 'write' }],
    [
      'GET',
      '/api/v1/namespaces/faults-10',
      { what: 'host GET /api/v1/namespaces/faults-10', sort: 'read' },
    ],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/x/leases/y', undefined],
    ['POST', '/apis/events.k8s.io/v1/namespaces/x/events', undefined],
  ])('classifies the request %s %s', (...[method, url, call]) => {
    const body = '{"metadata":{"name":"x-cert"}}';
    expect(callOf({ place: 'host', method, url, body }, 'faults-1')).toEqual(call);
  });
});
