import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import jest from 'eslint-plugin-jest';
import jsdoc from 'eslint-plugin-jsdoc';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      '**/dist.next/',
      'node_modules/',
      '.data/',
      'coverage/',
      'bench-results/',
      '**/api-types.ts',
      // Separate projects, which are compiled and tested against the packed tarball.
      'examples/',
    ],
  },
  js.configs.recommended,
  {
    rules: {
      // These names do not describe their values. Property names often come from a library or a
      // format.
      'id-denylist': ['error', 'asked', 'each', 'form', 'given', 'of', 'one', 'part'],
    },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // Nest modules are classes whose only content is their decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // An interface can name a type that follows from a table.
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowInterfaces: 'with-single-extends' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // DTO classes declare shapes; the values are plain objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Injected classes must stay value imports: Nest reads them at run time.
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      // Private members of Node, Fastify or a driver. `_meta` is a key of the MCP protocol.
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[property.name=/^_(?!meta$)/]',
          message: 'A name with an underscore is private to its library: use a documented option.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'packages/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    plugins: { jsdoc },
    settings: { jsdoc: { mode: 'typescript' } },
    rules: {
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: { esm: true, cjs: false, window: false },
          require: { FunctionDeclaration: true },
          contexts: [
            // The arguments of these decorators describe the class.
            'ClassDeclaration[decorators.0.expression.callee.name!=/^(ResponseDto|ApiSchema|Entity)$/]',
            'TSInterfaceDeclaration',
            'TSTypeAliasDeclaration',
            'ExportNamedDeclaration > VariableDeclaration',
          ],
          enableFixer: false,
        },
      ],
      'jsdoc/check-param-names': [
        'error',
        // A parameter that its name and type explain needs no @param.
        { disableMissingParamChecks: true, checkDestructured: false },
      ],
      'jsdoc/require-returns-check': 'error',
    },
  },
  {
    // Without `part`, which is the name of an input and an output of an MCP tool.
    files: ['src/mcp/**/*.ts', 'test/api/mcp/**/*.ts', 'packages/mcp-app/**/*.ts'],
    rules: { 'id-denylist': ['error', 'asked', 'each', 'form', 'given', 'of', 'one'] },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      globals: { module: 'readonly', process: 'readonly', console: 'readonly', fetch: 'readonly' },
    },
  },
  {
    files: ['src/**/*.spec.ts', '{test,bench}/**/*.ts', 'packages/*/test/**/*.ts'],
    extends: [jest.configs['flat/recommended']],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'jest/expect-expect': 'off',
      'jest/no-focused-tests': 'error',
      'jest/no-disabled-tests': 'error',
      'jest/no-standalone-expect': 'off',
      'jest/no-conditional-expect': 'off',
      'no-console': 'off',
    },
  },
  prettier,
);
