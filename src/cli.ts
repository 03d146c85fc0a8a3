#!/usr/bin/env node
import { runProgram } from './operations/commands/program.js';

process.exitCode = await runProgram(process.argv);
