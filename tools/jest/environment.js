const { TestEnvironment } = require('jest-environment-node');

/** Node's environment, with a way out of jest's sandbox for packages that cannot run inside it. */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.requireOutsideSandbox = require;
  }
};
