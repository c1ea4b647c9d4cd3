const { existsSync } = require('node:fs');
const { join } = require('node:path');
const pglite = require('@electric-sql/pglite');

let template;

/** The files of an empty cluster, made once a process. */
function emptyCluster() {
  template ??= pglite.PGlite.create().then(async (database) => {
    const files = await database.dumpDataDir('none');
    await database.close();
    return files;
  });
  return template;
}

/** A new database is a copy of one: to make each takes seconds of a processor, and tests make a hundred. */
async function create(directory, options) {
  const isNew = directory === undefined || !existsSync(join(directory, 'PG_VERSION'));
  return pglite.PGlite.create({
    ...options,
    ...(directory !== undefined && { dataDir: directory }),
    ...(isNew && { loadDataDir: await emptyCluster() }),
  });
}

module.exports = { ...pglite, PGlite: { create } };
