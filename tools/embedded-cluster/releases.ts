/** Kubernetes releases of the embedded images. The embedded cluster itself runs `current`. */
export const kubernetesReleases = { current: 'v1.35.4', previous: 'v1.34.3' } as const;

/** Karmada releases of the embedded images, newest first. Only `npm run test:all` uses the oldest. */
export const karmadaReleases = {
  current: 'v1.18.2',
  previous: 'v1.17.1',
  oldest: 'v1.16.0',
} as const;

/** etcd releases of the embedded images, as registry tags. */
export const etcdTags = { current: '3.6.14-0', previous: '3.5.35-0' } as const;

/** Version of the current etcd, without the suffix of its image. */
export const etcdVersion = etcdTags.current.replace(/-.*/, '');

export const coreDnsTag = 'v1.13.1';

export const pauseTag = '3.10';

export const busyboxTag = '1.36';
