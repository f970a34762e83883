#!/usr/bin/env node
// Runs the binary that the package for this system carries, with the same arguments, streams, signals and exit code.
'use strict';
const {spawn} = require('node:child_process');
const os = require('node:os');

const name = `@mcp-hallmark/hallmark-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/hallmark${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`hallmark: error: the package ${name} is not installed\nhallmark: hint: install without --omit=optional; there is none for every system`);
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), {stdio: 'inherit'});
// Hallmark ends in good order when it is told to, and a terminal tells both of us: all that is left to do here is to wait.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (problem) => {
  console.error(`hallmark: error: cannot run ${binary}: ${problem.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
