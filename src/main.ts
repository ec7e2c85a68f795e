/**
 * Program of the image: the operator, or one container of the Pod of a backup. Each loads only its own modules, because those of the
 * operator need memory that a backup has other use for.
 */
async function run([command, ...args]: readonly string[]): Promise<number> {
  if (command === 'backup-job') {
    const { runBackupJob } = await import('./backup-job.ts');
    return runBackupJob(args);
  }
  const { runOperator } = await import('./operator/operator-process.ts');
  return runOperator(process.argv.slice(2));
}

process.exit(await run(process.argv.slice(2)));
