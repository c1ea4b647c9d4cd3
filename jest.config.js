// One configuration, four tiers: unit beside the code, accuracy and fuzz under test/; integration, chaos and browser under test/.
const base = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/tools/jest/environment.js',
  transform: {
    '^.+\\.[tj]s$': [
      '@swc/jest',
      {
        sourceMaps: 'inline',
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // jose has no CommonJS form.
  transformIgnorePatterns: ['/node_modules/(?!jose/)'],
  moduleNameMapper: {
    '^@lineprint/(contracts|fingerprint|attribution|syntax|platform|persistence|results|event-log|recall|git|capture|api-client)$':
      '<rootDir>/libs/$1/src/index.ts',
    '^@lineprint/(ingest|indexer|commit-analyzer|line-attributor|rollup|query-api|standalone|cli)$':
      '<rootDir>/apps/$1/src/index.ts',
    '^@electric-sql/pglite$': '<rootDir>/tools/jest/pglite.js',
  },
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
};
const tier = (displayName, testMatch) => ({ ...base, displayName, testMatch });

module.exports = {
  testSequencer: '<rootDir>/tools/jest/sequencer.js',
  projects: [
    tier('unit', [
      '<rootDir>/{libs,apps}/*/src/**/*.spec.ts',
      '<rootDir>/test/{accuracy,capacity,fuzz}/**/*.spec.ts',
    ]),
    tier('integration', ['<rootDir>/test/integration/**/*.spec.ts']),
    tier('chaos', ['<rootDir>/test/chaos/**/*.spec.ts']),
    tier('browser', ['<rootDir>/test/browser/**/*.spec.ts']),
  ],
};
