/** Processor time of a process and all that it has started, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every platform that Node supports. */
const TICKS_A_SECOND = 100;

/**
 * @returns {{pid: number, parent: number, command: string, seconds: number}[]} every process that can be seen;
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
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name in brackets may hold anything; what follows it are numbers.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [
        {
          pid: Number(pid),
          parent: Number(fields[1]),
          command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
          seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
        },
      ];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
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
