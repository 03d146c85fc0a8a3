#!/usr/bin/env node
import { runProgram } from './commands/program.js';

process.exitCode = await runProgram(process.argv);
