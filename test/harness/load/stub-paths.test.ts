import { describe, expect, it } from '@jest/globals';
import { StubApi, type StubEvent } from './stub-api.ts';
import { pathParts, selects } from './stub-paths.ts';

describe('pathParts', () => {
  it.each([
    ['/api/v1/pods?watch=true', { collection: '/api/v1/pods' }],
    ['/api/v1/namespaces/a', { collection: '/api/v1/namespaces', name: 'a' }],
    [
      '/apis/apps/v1/namespaces/a/deployments/b?force=true',
      { collection: '/apis/apps/v1/deployments', namespace: 'a', name: 'b' },
    ],
    [
      '/api/v1/secrets?labelSelector=a%3Db',
      { collection: '/api/v1/secrets', labelSelector: 'a=b' },
    ],
  ])('parses %s', (url, expected) => {
    expect(pathParts(url)).toEqual(expected);
  });
});

describe('selects', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'x', namespace: 'a', labels: { app: 'one' } },
  };

  it.each([
    [{}, true],
    [{ namespace: 'b' }, false],
    [{ labelSelector: 'app=one' }, true],
    [{ labelSelector: 'app=two' }, false],
    [{ labelSelector: 'app in (two,one)' }, true],
    [{ labelSelector: 'app in (two)' }, false],
  ])('for the target %j returns %s', (target, expected) => {
    expect(selects({ collection: '', ...target }, object)).toBe(expected);
  });
});

describe('StubApi', () => {
  it('stores objects and sends watch events when they are created, changed and deleted', () => {
    const api = new StubApi();
    const events: string[] = [];
    const url = '/api/v1/namespaces/a/services';
    const end = api.watch('/api/v1/services', ({ type, object }: StubEvent) =>
      events.push(`${type} ${object.metadata.name}`),
    );
    const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'b' } };
    const body = JSON.stringify(object);
    expect(api.answer({ method: 'PATCH', url: `${url}/b`, body }).status).toBe(201);
    expect(api.answer({ method: 'POST', url, body }).status).toBe(409);
    expect(api.answer({ method: 'PATCH', url: `${url}/b`, body }).status).toBe(200);
    expect(api.answer({ method: 'GET', url, body: '' }).body).toMatchObject({
      items: [{ metadata: { name: 'b', namespace: 'a' } }],
    });
    expect(api.answer({ method: 'DELETE', url: `${url}/b`, body: '{}' }).status).toBe(200);
    expect(api.answer({ method: 'GET', url: `${url}/b`, body: '' }).status).toBe(404);
    end();
    expect(events).toEqual(['ADDED b', 'MODIFIED b', 'DELETED b']);
  });
});
