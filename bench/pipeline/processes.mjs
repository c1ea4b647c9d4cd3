/** Processor time of a process and all that it has started, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every platform that Node supports. */
const TICKS_A_SECOND = 100;
const PAGE_BYTES = 4096;

/**
 * @returns {{pid: number, parent: number, command: string, seconds: number, rssBytes: number}[]} every process that can be seen;
 *   nothing where there is no /proc
 */
export function processes() {
  let pids;
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return pids.flatMap((pid) => {
    try {
      const fields = statOf(`/proc/${pid}`);
      return [
        {
          pid: Number(pid),
          parent: Number(fields[1]),
          command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
          seconds: secondsOf(fields),
          rssBytes: Number(fields[21]) * PAGE_BYTES,
        },
      ];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** @returns {{id: number, seconds: number}[]} the threads of a process that run now; the first has its pid */
export function threads(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).map((id) => ({
      id: Number(id),
      seconds: secondsOf(statOf(`/proc/${pid}/task/${id}`)),
    }));
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

function statOf(folder) {
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  // The name in brackets may hold anything; what follows it are numbers.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function secondsOf(fields) {
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** @returns {Set<number>} the pids of a process and of all that it has started */
export function descendants(all, root) {
  const found = new Set([root]);
  // A child's entry may come before its parent's.
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return found;
}
