import type { Feature } from '../../actions/feature.ts';
import { etcdHealth, UNASKED } from './etcd-health.ts';

/** The health of a local etcd. */
export const etcd = {
  name: 'etcd',
  unfinished: ({ snapshot }) =>
    etcdHealth(snapshot).state === 'pending' ? [{ step: 'etcd', message: UNASKED }] : [],
} satisfies Feature<unknown>;
