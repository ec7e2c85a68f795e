import { describe, expect, it } from '@jest/globals';
import { countRequests, parseAuditLine } from './audit.ts';

const base = {
  stage: 'ResponseComplete',
  verb: 'get',
  user: { username: 'system:admin' },
  objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'default', name: 'web' },
  responseStatus: { code: 200 },
  requestReceivedTimestamp: '2026-01-02T03:04:05.000006Z',
};

describe('audit log', () => {
  it.each([
    ['a resource of an API group', {}, 'deployments.apps'],
    ['a subresource', { objectRef: { resource: 'pods', subresource: 'log' } }, 'pods/log'],
    ['a non-resource request', { objectRef: undefined, requestURI: '/readyz?verbose' }, '/readyz'],
  ])('returns the resource name of %s', (_, change, resource) => {
    expect(parseAuditLine(JSON.stringify({ ...base, ...change }))?.resource).toBe(resource);
  });

  it.each([
    ['a truncated line', '{"stage":'],
    ['an earlier stage', JSON.stringify({ ...base, stage: 'ResponseStarted' })],
    ['the end of a watch', JSON.stringify({ ...base, verb: 'watch' })],
  ])('ignores %s', (_, line) => {
    expect(parseAuditLine(line)).toBeUndefined();
  });

  it('counts requests by user, verb and resource', () => {
    const events = [base, base, { ...base, verb: 'list' }].flatMap(
      (event) => parseAuditLine(JSON.stringify(event)) ?? [],
    );
    const common = { user: 'system:admin', resource: 'deployments.apps' };
    expect(countRequests(events)).toEqual([
      { ...common, verb: 'get', count: 2 },
      { ...common, verb: 'list', count: 1 },
    ]);
  });
});
