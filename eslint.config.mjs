import { builtinModules } from 'node:module';
import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const only = (owner, client) => ({ owner, client });

/** One owner for each client library (docs/decisions/0001-workspace.md). */
const owners = [
  only('event-log', 'kafkajs'),
  only('recall', 'ioredis'),
  only('persistence', '@prisma/*'),
  only('persistence', 'pg'),
  only('persistence', '@electric-sql/pglite'),
  only('persistence', 'pglite-prisma-adapter'),
  only('syntax', 'tree-sitter*'),
  only('syntax', '@tree-sitter-grammars/*'),
];
const scopes = [
  'contracts',
  'fingerprint',
  'attribution',
  'syntax',
  'platform',
  'persistence',
  'results',
  'event-log',
  'recall',
  'git',
  'capture',
  'api-client',
  'ingest',
  'indexer',
  'commit-analyzer',
  'line-attributor',
  'rollup',
  'query-api',
  'standalone',
  'cli',
  'dashboard',
];
const ownerConstraints = scopes.map((scope) => ({
  sourceTag: `scope:${scope}`,
  bannedExternalImports: owners.filter((o) => o.owner !== scope).map((o) => o.client),
}));

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '**/generated/**', 'apps/cli/sample/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.js'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          depConstraints: [
            { sourceTag: 'type:contract', onlyDependOnLibsWithTags: [], notDependOnLibsWithTags: ['*'] },
            { sourceTag: 'type:pure', onlyDependOnLibsWithTags: ['type:pure', 'type:contract'] },
            {
              sourceTag: 'type:feature',
              onlyDependOnLibsWithTags: ['type:feature', 'type:pure', 'type:contract'],
            },
            {
              sourceTag: 'type:data',
              onlyDependOnLibsWithTags: ['type:data', 'type:feature', 'type:pure', 'type:contract'],
            },
            {
              allSourceTags: ['type:app', 'scope:standalone'],
              onlyDependOnLibsWithTags: [
                'type:app',
                'type:data',
                'type:feature',
                'type:pure',
                'type:contract',
              ],
            },
            ...scopes
              .filter((s) => s !== 'standalone')
              .map((s) => ({ sourceTag: `scope:${s}`, notDependOnLibsWithTags: ['type:app'] })),
            ...ownerConstraints,
          ],
        },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      'no-restricted-imports': 'off',
    },
  },
  {
    // Only libs/platform reads the environment.
    files: ['libs/**/*.ts', 'apps/**/*.{ts,tsx}'],
    ignores: ['libs/platform/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only libs/platform reads the environment.' },
      ],
      'no-restricted-imports': [
        'error',
        ...['process', 'node:process'].map((name) => ({
          name,
          message: 'Only libs/platform reads the environment.',
        })),
      ],
    },
  },
  {
    // The pure core: no IO, no clock, no randomness.
    files: ['libs/{fingerprint,attribution,contracts}/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'fetch', 'setTimeout', 'setInterval'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Pure code takes time as a value.' },
        { object: 'Math', property: 'random', message: 'Pure code takes randomness as a value.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Pure code takes time as a value.',
        },
      ],
      'no-restricted-imports': [
        'error',
        ...builtinModules
          .filter((name) => name !== 'crypto')
          .flatMap((name) => [name, `node:${name}`])
          .map((name) => ({ name, message: 'Pure code does no IO; of Node it may use crypto.' })),
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
        AbortSignal: 'readonly',
        AbortController: 'readonly',
        performance: 'readonly',
      },
    },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    // Handed to browsers as it is.
    files: ['apps/dashboard/public/**/*.js'],
    languageOptions: { globals: { document: 'readonly', localStorage: 'readonly' } },
  },
);
