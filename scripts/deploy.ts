import { generated } from './deploy/generate.ts';
import { runGenerator } from './deploy/run-generator.ts';
import { versionedFiles } from './release/version.ts';

// The chart is rendered with its new version.
await runGenerator('node scripts/run.mjs scripts/deploy.ts', [versionedFiles, generated]);
