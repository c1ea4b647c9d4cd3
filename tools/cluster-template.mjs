/** Makes the files from which an embedded database starts, unless they are there. Needs the build. */
import { createRequire } from 'node:module';

const { writeClusterTemplate } = createRequire(import.meta.url)('@lineprint/persistence');
await writeClusterTemplate();
