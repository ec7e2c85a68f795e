import { PassThrough, type Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { podDialer } from './dial-pod.ts';
import type { Remote } from './host.ts';

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'b' },
  status: { podIP: '127.0.0.1' },
};

const remoteWith = (forward: Remote['forward']): Remote => ({
  server: 'https://host.example',
  addresses: {} as never,
  forward,
});

describe('podDialer', () => {
  it('has no dialer for a Pod without an address', () => {
    expect(podDialer({ ...POD, status: {} }, undefined)).toBeUndefined();
  });

  it('forwards a port of a Pod in a remote host cluster', async () => {
    const targets: object[] = [];
    const stream = new PassThrough();
    const forward: Remote['forward'] = (target) => {
      targets.push(target);
      return Promise.resolve(stream);
    };
    const dial = podDialer(POD, remoteWith(forward))?.(8443);
    expect(await dial?.(new AbortController().signal)).toBe(stream);
    expect(targets).toEqual([{ namespace: 'b', pod: 'a', port: 8443 }]);
  });

  it('throws the error of the port-forward', async () => {
    const forward = () => Promise.reject(new Error('forbidden'));
    const dial = podDialer(POD, remoteWith(forward))?.(8443);
    await expect(dial?.(new AbortController().signal)).rejects.toThrow('forbidden');
  });

  it.each([
    ['before the port-forward', true],
    ['while it opens', false],
  ])('ends when its signal is aborted %s, and closes what opens later', async (_, isBefore) => {
    const { promise, resolve } = Promise.withResolvers<Duplex>();
    const ends = new AbortController();
    if (isBefore) ends.abort(new Error('too late'));
    const dialed = podDialer(
      POD,
      remoteWith(() => promise),
    )?.(8443)(ends.signal);
    if (!isBefore) ends.abort(new Error('too late'));
    await expect(dialed).rejects.toThrow('too late');
    const stream = new PassThrough();
    resolve(stream);
    await new Promise(setImmediate);
    expect(stream.destroyed).toBe(true);
  });
});
