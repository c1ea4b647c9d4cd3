import { applyChange, type FileLineage, Origins, unpackChange, unpackTree } from '@lineprint/attribution';
import { lineTreeParts, type Queryable, type RepositoryPlace } from '@lineprint/persistence';

/**
 * Where the lines of each file of a commit were added.
 *
 * @param origins of all trees that are compared with it
 * @returns undefined where the ledger has not followed the commit: it is behind no counted ref
 */
export async function loadLineTree(
  queryable: Queryable,
  place: RepositoryPlace,
  sha: string,
  origins = new Origins(),
): Promise<Map<string, FileLineage> | undefined> {
  const parts = await lineTreeParts(queryable, place, sha);
  if (parts.length === 0) return undefined;
  let tree = new Map<string, FileLineage>();
  for (const part of parts) {
    if (part.tree) tree = unpackTree(part.tree, origins);
    else applyChange(tree, unpackChange(part.change, tree, origins));
  }
  return tree;
}
