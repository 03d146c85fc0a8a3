import { runProgram } from './operations/commands/program.js';

const [node = process.execPath, script = 'main.js'] = process.argv;
process.exitCode = await runProgram([node, script, 'serve']);
