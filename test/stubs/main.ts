/**
 * Runs a stub cluster in a process of its own, for tests that measure it or need its processor core. Start it with `fork`; it
 * sends its `ClusterAccess`, and ends with its parent.
 */
import { Addresses } from './network/addresses.ts';
import { StubCluster } from './stub-cluster.ts';

const addresses = await Addresses.claim();
const { access } = await StubCluster.start({ addresses });
process.send?.(access);
process.on('disconnect', () => process.exit());
