/**
 * Compiles a library that wraps everything a package exports, as the library of a company would,
 * and a consumer of that library. The library is generated from the declarations of the package, so
 * a new export is covered without a change here. `docs/api` shows which types a public signature
 * uses; this check shows that the compiler can name each of them in another package's declarations.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/**
 * Compiles the library and its consumer in a project, or throws an error that lists the messages of
 * the compiler.
 *
 * @param entryPoints The module specifiers that the library wraps.
 * @returns The number of exports that the library wraps.
 */
export function compileWrapperLibrary(project, entryPoints) {
  const rootDir = path.join(project.folder, 'library');
  const outDir = path.join(rootDir, 'dist');
  const { sources, count } = librarySources(project, entryPoints);
  const names = [...sources.keys()];
  mkdirSync(rootDir, { recursive: true });
  for (const [name, source] of sources) writeFileSync(path.join(rootDir, `${name}.ts`), source);
  project.compile(
    names.map((name) => path.join(rootDir, `${name}.ts`)),
    { declaration: true, rootDir, outDir },
  );
  const consumer = path.join(rootDir, 'consumer.ts');
  const lines = names.map((name) => `export * as ${name} from './dist/${name}.js';\n`);
  writeFileSync(consumer, lines.join(''));
  project.compile([consumer], { declaration: true, rootDir, outDir });
  return count;
}

/** Returns the source of the library for each entry point, by name, and the number of exports. */
function librarySources(project, entryPoints) {
  const files = entryPoints.map((specifier) => project.declarationsOf(specifier));
  const program = project.program(files);
  const checker = program.getTypeChecker();
  const sources = new Map();
  let count = 0;
  for (const [index, specifier] of entryPoints.entries()) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(files[index]));
    const exported = checker.getExportsOfModule(module);
    const lines = [
      `import * as entry from '${specifier}';`,
      `export * from '${specifier}';`,
      ...exported.flatMap((symbol) => wrap(symbol, module, checker)),
    ];
    sources.set(specifier.replace(/\W+/g, '_'), `${lines.join('\n')}\n`);
    count += exported.length;
  }
  return { sources, count };
}

/** Returns declarations whose types the compiler infers from an export. */
function wrap(symbol, module, checker) {
  const { name } = symbol;
  const { Alias, Type } = ts.SymbolFlags;
  const target = symbol.flags & Alias ? checker.getAliasedSymbol(symbol) : symbol;
  // The type of a module has no property for a class that it exports only as a type.
  const value = checker.getTypeOfSymbol(module).getProperty(name);
  return [
    ...(value ? wrapValue(name, checker.getTypeOfSymbol(target), checker) : []),
    ...(target.flags & Type ? wrapType(name, target, checker) : []),
  ];
}

/** Wraps a value: a class with its constructor and static members, a function or a constant. */
function wrapValue(name, type, checker) {
  const lines = wrapExpression(`value_${name}`, `entry.${name}`, type);
  const [constructor] = type.getConstructSignatures();
  if (constructor && isPublic(constructor.declaration)) {
    lines.push(
      `export abstract class Extended_${name} extends entry.${name}${anyArguments(constructor)} {}`,
      `export const new_${name} = (...list: ConstructorParameters<typeof entry.${name}>) => list;`,
    );
  }
  return [...lines, ...wrapMembers(`static_${name}`, `entry.${name}`, type, checker)];
}

/** Wraps a type: an object of the type, and the members of that object. */
function wrapType(name, symbol, checker) {
  const declaration = symbol.declarations.find(({ typeParameters }) => typeParameters);
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const object = `object_${name}`;
  return [
    `declare const ${object}: entry.${name}${anyArguments(declaration)};`,
    ...wrapExpression(`type_${name}`, object, type),
    ...(isObject(type) ? wrapMembers(`member_${name}`, object, type, checker) : []),
  ];
}

function wrapMembers(prefix, object, type, checker) {
  const members = checker
    .getPropertiesOfType(type)
    .filter(({ name, declarations }) => /^[a-z]\w*$/i.test(name) && declarations?.every(isPublic))
    .filter(({ name }) => name !== 'prototype');
  return members.flatMap((member) =>
    wrapExpression(
      `${prefix}_${member.name}`,
      `${object}.${member.name}`,
      checker.getNonNullableType(checker.getTypeOfSymbol(member)),
    ),
  );
}

/** Exports a value and, if it is a function, its parameters and its result. */
function wrapExpression(name, expression, type) {
  const lines = [`export const ${name} = ${expression};`];
  const [signature] = type.getCallSignatures();
  if (signature) {
    const list = signature.parameters.map(() => 'undefined as never').join(', ');
    lines.push(
      `export const ${name}_list = (...list: Parameters<NonNullable<typeof ${expression}>>) => list;`,
      `export const ${name}_result = async () => await ${expression}!(${list});`,
    );
  }
  return lines;
}

function anyArguments(declaration) {
  const parameters = declaration?.typeParameters ?? [];
  return parameters.length > 0 ? `<${parameters.map(() => 'any').join(', ')}>` : '';
}

function isPublic(declaration) {
  const { Private, Protected } = ts.ModifierFlags;
  return !declaration || !(ts.getCombinedModifierFlags(declaration) & (Private | Protected));
}

function isObject(type) {
  const members = type.isUnion() ? type.types : [type];
  return members.every(({ flags }) => flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection));
}
