import { afterEach, describe, expect, it } from '@jest/globals';
import { serve, type EndpointServer } from './endpoints.ts';

describe('serve', () => {
  let server: EndpointServer | undefined;

  afterEach(async () => server?.close());

  it('returns all parts of a body', async () => {
    const parts = ['1'.repeat(99_999), '2', '', 'ü'];
    const body = parts.map((part) => Buffer.from(part));
    server = await serve(
      { host: '127.0.0.1', port: 0 },
      { '/metrics': () => ({ status: 200, body }) },
    );
    const answer = await fetch(`http://127.0.0.1:${String(server.port)}/metrics`);
    expect(await answer.text()).toBe(parts.join(''));
  });

  it('returns 404 for an unknown path and 500 without details when a route fails', async () => {
    server = await serve(
      { host: '127.0.0.1', port: 0 },
      {
        '/healthz': () => ({ status: 200, body: 'ok\n' }),
        '/readyz': () => ({ status: 503, body: 'karmadas: not synced\n' }),
        '/broken': () => Promise.reject(new Error('secret detail')),
      },
    );
    const get = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${String(server?.port)}${path}`);
      return [response.status, await response.text()];
    };
    expect(await get('/healthz')).toEqual([200, 'ok\n']);
    expect(await get('/readyz?verbose')).toEqual([503, 'karmadas: not synced\n']);
    expect(await get('/broken')).toEqual([500, 'internal error\n']);
    expect(await get('/constructor')).toEqual([404, 'not found\n']);
  });
});
