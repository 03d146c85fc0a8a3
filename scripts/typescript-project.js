/** Compiles files of a project with the TypeScript of this repository, for other scripts. */
import path from 'node:path';
import ts from 'typescript';

/** A folder with installed packages, compiled with the given options and `skipLibCheck: false`. */
export class TypeScriptProject {
  #options;
  #host;
  #checked = new Set();

  constructor(folder, compilerOptions) {
    this.folder = folder;
    const configFile = path.join(folder, 'tsconfig.json');
    const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, folder, configFile);
    // The declarations that are part of TypeScript itself are not checked.
    this.#options = { ...options, skipLibCheck: false, skipDefaultLibCheck: true };
    this.#host = cachingHost(this.#options);
  }

  /** Returns a program of the files. `options` replaces options of the project. */
  program(files, options = {}) {
    return ts.createProgram(files, { ...this.#options, ...options }, this.#host);
  }

  /**
   * Compiles the files, or throws an error that lists the messages of the compiler. It checks the
   * declarations of packages, each file once for all programs.
   */
  compile(files, options) {
    const program = this.program(files, options);
    const unchecked = program.getSourceFiles().filter((file) => !this.#checked.has(file));
    const diagnostics = [
      ...unchecked.flatMap((file) => ts.getPreEmitDiagnostics(program, file)),
      ...program.emit().diagnostics,
    ];
    if (diagnostics.length > 0) {
      const messages = ts.sortAndDeduplicateDiagnostics(diagnostics);
      throw new Error(ts.formatDiagnostics(messages, this.#host));
    }
    for (const file of unchecked) this.#checked.add(file);
  }
}

/** Returns a host that parses each file of a package once for all programs. */
function cachingHost(options) {
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile;
  const files = new Map();
  host.getSourceFile = (file, ...rest) => {
    if (!file.includes('/node_modules/')) return parse(file, ...rest);
    if (!files.has(file)) files.set(file, parse(file, ...rest));
    return files.get(file);
  };
  return host;
}
