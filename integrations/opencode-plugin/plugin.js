import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import {
  adapters,
  CaptureState,
  fingerprintEdits,
  findWorkingTree,
  LineprintClient,
  runHook,
  VERSION,
} from '@lineprint/capture';
import { SessionTotals } from './session-totals.js';

/** A summary that is late is the next one's business: it has the same totals and more. */
const SUMMARY_TIMEOUT_MS = 5000;

/**
 * A plugin for OpenCode or Kilo Code. It puts what the tools say of their edits aside, on this machine, for another
 * process to read and send, and sends a summary of a session whenever that comes to rest. Nothing here fails or waits
 * in the assistant's way: what goes wrong is in the log of `lineprint capture status`.
 *
 * @param {'opencode' | 'kilo'} assistant
 * @param {{state?: CaptureState, senderScript?: string, node?: string, now?: () => number, client?: Pick<LineprintClient, 'sendStats'>}} options
 *   `senderScript`: the SDK's `send.cjs`; without it what is kept is sent by the next `lineprint capture flush`;
 *   `node`: the Node that runs it, by default the program that the plugin runs in
 */
export function lineprintPlugin(
  assistant,
  { state = new CaptureState(), senderScript, node, now = Date.now, client } = {},
) {
  const adapter = adapters[assistant];
  const self = { name: assistant, version: VERSION };

  const quietly = async (what, action) => {
    try {
      return await action();
    } catch (error) {
      state.log(`${assistant}: ${what}: ${error}`, now());
      return undefined;
    }
  };

  return async ({ directory, client: server }) => {
    const models = new Map();
    const textsBefore = new Map();
    const parents = new Map();
    const totals = new Map();

    /** Undefined for a session that a person talks to. A session that goes on after a restart is asked about once. */
    const parentOf = async (sessionID) => {
      if (!parents.has(sessionID)) {
        const answer = await quietly('a session’s parent is not known', () =>
          server?.session?.get({ path: { id: sessionID } }),
        );
        parents.set(sessionID, answer?.data?.parentID);
      }
      return parents.get(sessionID);
    };
    const rootOf = async (sessionID) => {
      const seen = new Set();
      let root = sessionID;
      for (let parent = root; parent !== undefined && !seen.has(parent); parent = await parentOf(parent)) {
        seen.add(parent);
        root = parent;
      }
      return root;
    };
    const totalsOf = (root) => {
      if (!totals.has(root)) totals.set(root, new SessionTotals(root));
      return totals.get(root);
    };

    const sendSummary = async (root) => {
      const session = totals.get(root);
      if (!session || !state.isEnrolled()) return;
      const settings = state.settings();
      const time = now();
      const stats = session.summary(time, (event) => {
        try {
          const edits = adapter.editsOfEvent(event, time);
          return { edits, fingerprints: fingerprintEdits(edits, settings, { client: self }) };
        } catch {
          // Whoever reads what was put aside says in the log why it cannot be read.
          return { edits: [], fingerprints: [] };
        }
      });
      if (!stats) return;
      const tree = findWorkingTree(join(directory, 'any'));
      const { url, apiKey, projectId } = settings;
      const sender =
        client ?? new LineprintClient({ url, apiKey, retries: 0, timeoutMs: SUMMARY_TIMEOUT_MS });
      await sender.sendStats({
        ...stats,
        userId: tree?.userEmail ?? settings.userId,
        ...(projectId !== undefined && { projectId }),
        ...(tree && { repository: tree.name }),
      });
    };

    return {
      'chat.message': async ({ sessionID, model: asked }, output) => {
        const model = asked ?? output?.message?.model;
        if (model?.modelID)
          models.set(sessionID, [model.providerID, model.modelID].filter(Boolean).join('/'));
      },

      'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
        // What these tools answer does not have it.
        if (tool !== 'write' && tool !== 'edit') return;
        await quietly('a file could not be read', async () => {
          textsBefore.set(callID, { sessionID, text: await textOf(pathIn(directory, args.filePath)) });
        });
      },

      'tool.execute.after': async (input, output) => {
        await quietly('an edit was not captured', async () => {
          const { sessionID, callID, tool } = input;
          if (!['edit', 'write', 'apply_patch'].includes(tool)) return;
          const parentID = await parentOf(sessionID);
          const event = {
            directory,
            model: models.get(sessionID),
            parentID,
            before: textsBefore.get(callID)?.text,
            input: { tool, sessionID, callID, args: input.args },
            output: { metadata: output.metadata },
          };
          textsBefore.delete(callID);
          runHook(assistant, JSON.stringify(event), { state, senderScript, node, now: now() });
          totalsOf(await rootOf(sessionID)).add(event);
        });
      },

      event: async ({ event }) => {
        await quietly('a session was not summed up', async () => {
          const { info, sessionID } = event.properties ?? {};
          if (event.type === 'session.created' && info) {
            parents.set(info.id, info.parentID);
            if (info.parentID !== undefined) totalsOf(await rootOf(info.id)).addTask(info.id);
          }
          if (event.type !== 'session.idle') return;
          // Of calls that failed.
          for (const [callID, before] of textsBefore) {
            if (before.sessionID === sessionID) textsBefore.delete(callID);
          }
          // The session that a person talks to rests last, and its summary has those of its sub-agents.
          if ((await parentOf(sessionID)) === undefined) await sendSummary(sessionID);
        });
      },
    };
  };
}

const pathIn = (directory, path) => (isAbsolute(path) ? path : join(directory, path));

async function textOf(path) {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
