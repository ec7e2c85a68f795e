// Runs the operator in a container, and starts it again as soon as it is killed.
import { spawn } from 'node:child_process';

const { PROGRAM, KILLER, ...env } = process.env;
let operator;

function start() {
  const command = [`--import=${KILLER}`, PROGRAM, ...process.argv.slice(1)];
  operator = spawn(process.execPath, command, { env, stdio: 'inherit' });
  operator.once('exit', (code, signal) => {
    if (signal === 'SIGKILL') start();
    else process.exit(code ?? 1);
  });
}

process.once('SIGTERM', () => operator.kill('SIGTERM'));
start();
