// PGlite loads node's modules and its own code by dynamic import, which jest's sandbox refuses: tests get one that node
// itself loads.
module.exports = globalThis.requireOutsideSandbox('@electric-sql/pglite');
