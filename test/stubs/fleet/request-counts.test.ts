import { describe, expect, it } from '@jest/globals';
import { RequestCounts, totalOf, writesOf } from './request-counts.ts';

const OPERATOR = 'karmada-operator/1.0.0';
const request = (text: string, agent = OPERATOR) => {
  const [method = '', url = ''] = text.split(' ');
  return { method, url, headers: { 'user-agent': agent } };
};

describe('RequestCounts', () => {
  it.each([
    ['GET /api/v1/secrets?limit=500', 'GET secrets'],
    ['GET /api/v1/namespaces/a/secrets/b', 'GET secrets/NAME'],
    ['POST /apis/apps/v1/namespaces/a/deployments', 'POST deployments'],
    ['PATCH /apis/o/v1/namespaces/a/karmadas/b/status', 'PATCH karmadas/NAME/status'],
    ['PATCH /api/v1/namespaces/a/pods/b?dryRun=All', 'PATCH pods/NAME (dry run)'],
    ['GET /readyz?verbose', 'GET /readyz'],
  ])('counts %s as %s', (text, name) => {
    const counts = new RequestCounts('omitted');
    counts.record('inside', request(text));
    counts.record('inside', request(text));
    expect(counts.counts).toEqual({ host: {}, inside: { [name]: 2 } });
  });

  it.each([
    ['a watch', request('GET /api/v1/pods?watch=true')],
    ['the renewal of a Lease', request('PUT /apis/coordination.k8s.io/v1/namespaces/a/leases/b')],
    ['an Event', request('POST /api/v1/namespaces/a/events')],
    ['a request of another client', request('GET /api/v1/pods', 'kubectl/v1.35.4')],
    ['a request about the omitted namespace', request('GET /api/v1/namespaces/omitted/pods/b')],
  ])('does not count %s', (_, ignored) => {
    const counts = new RequestCounts('omitted');
    counts.record('host', ignored);
    expect(counts.counts.host).toEqual({});
  });

  it('starts again when it is reset', () => {
    const counts = new RequestCounts('omitted');
    counts.record('host', request('GET /version'));
    counts.reset();
    expect(totalOf(counts.counts.host)).toBe(0);
  });
});

describe('writesOf', () => {
  it('leaves out reads, reviews and dry runs', () => {
    const writes = { 'PATCH pods/NAME': 2, 'DELETE pods/NAME': 1 };
    const reads = {
      'GET pods': 4,
      'POST selfsubjectaccessreviews': 1,
      'PATCH pods/NAME (dry run)': 1,
    };
    expect(writesOf({ ...reads, ...writes })).toEqual(writes);
    expect(totalOf(writes)).toBe(3);
  });
});
