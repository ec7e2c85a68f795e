import { describe } from '@jest/globals';

/** Like `describe`, for suites that need an embedded cluster. Without root, jest reports them as skipped. */
export const describeCluster = process.getuid?.() === 0 ? describe : describe.skip;
