import type { Adapter } from './adapter';
import { fieldsOf, textOf } from './fields';

/**
 * What integrations/vscode-extension tells of a completion that was accepted in the editor: `{path, before, after,
 * sessionId, acceptanceId, kind, partially}`, texts of the whole document before and after.
 */
export const vscode: Adapter = {
  name: 'vscode',

  editsOfEvent(event, now) {
    const fields = fieldsOf(event, 'the event');
    return [
      {
        path: textOf(fields, 'path'),
        before: textOf(fields, 'before'),
        after: textOf(fields, 'after'),
        kind: fields['kind'] === 'insert' ? 'insert' : 'replace',
        source: 'tab',
        sessionId: textOf(fields, 'sessionId'),
        toolCallId: textOf(fields, 'acceptanceId'),
        ...(fields['partially'] === true && { acceptedPartially: true }),
        time: now,
      },
    ];
  },
};
