/**
 * Compiles the TypeScript examples of the documents in memory, and prints what the compiler
 * reports. `npm run typecheck` runs this script.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.join(import.meta.dirname, '..');

/**
 * The documents, without the API reports, and without the README of the client, whose examples have
 * a test that runs them.
 */
const DOCUMENTS = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/^(scripts\/api-report\/|packages\/client\/)/.test(file));

const examples = DOCUMENTS.flatMap(examplesOf);
if (examples.length === 0) throw new Error('the documents have no examples');
const problems = problemsOf(examples);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/**
 * Returns the examples of a document. An example whose first line is the comment `// src/x.ts` is
 * that file, so that other examples can import it. A second example of the same file is checked
 * beside the first.
 */
function examplesOf(document) {
  const blocks = readFileSync(path.join(ROOT, document), 'utf8').matchAll(/```ts\n([^]*?)```/g);
  const folder = path.join(ROOT, 'documented', document);
  const taken = new Set();
  return Array.from(blocks, ([, code = ''], index) => {
    const [, named = `src/example-${index + 1}.ts`] = /^\/\/ (\S+\.ts)\n/.exec(code) ?? [];
    const name = taken.has(named) ? named.replace('.ts', `-${index + 1}.ts`) : named;
    taken.add(name);
    return { file: path.join(folder, name), code };
  });
}

/** Returns what the compiler reports of files that exist in memory alone. */
function problemsOf(files) {
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ROOT);
  const codes = new Map(files.map(({ file, code }) => [file, code]));
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram(
    [...codes.keys()],
    // An example must import what it uses, because a host application may use another test runner.
    {
      ...options,
      types: ['node'],
      noUnusedLocals: true,
      moduleDetection: ts.ModuleDetectionKind.Force,
    },
    {
      ...host,
      fileExists: (file) => codes.has(file) || host.fileExists(file),
      readFile: (file) => codes.get(file) ?? host.readFile(file),
      getSourceFile: (file, languageVersion) => {
        const code = codes.get(file);
        if (code === undefined) return host.getSourceFile(file, languageVersion);
        return ts.createSourceFile(file, code, languageVersion);
      },
      // The folders of the examples exist in memory, too.
      directoryExists: (folder) =>
        folder.startsWith(path.join(ROOT, 'documented')) || host.directoryExists(folder),
    },
  );
  return files.flatMap(({ file }) => {
    const source = program.getSourceFile(file);
    return ts.getPreEmitDiagnostics(program, source).map(({ messageText, start = 0 }) => {
      const { line } = source.getLineAndCharacterOfPosition(start);
      const message = ts.flattenDiagnosticMessageText(messageText, ' ');
      return `${path.relative(ROOT, file)}:${line + 1} ${message}`;
    });
  });
}
