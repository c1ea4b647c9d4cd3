import type { Declaration } from '@lineprint/contracts';
import type { CommitMeta } from './commit-parser';

/** One way in which a commit names an AI. A person matches as `Name <e-mail>`. */
export interface DeclarationPattern {
  /** What the declaration is reported as, e.g. `claude-code`. */
  tool: string;
  /** Tried on the author, then on the committer. */
  person?: RegExp;
  /** Tried on the value of each trailer (TRAILERS). */
  trailer?: RegExp;
}

/** Trailers that name who, or what, made a change with the author. */
const TRAILERS = /^(?:co-authored-by|assisted-by|generated-by|ai-assisted-by|generated-with):\s*(.+?)\s*$/gim;

/**
 * Known assistants by the names and addresses that they commit with. Each tool's person pattern is tried on
 * author, committer and trailers alike. `(aider)` behind a committer's name is aider's convention for a
 * human's own edits that it committed with AI's; by that convention they are AI-assisted.
 */
export const defaultDeclarationPatterns: readonly DeclarationPattern[] = [
  both('aider', /\(aider\)(?: |$)|^aider \(|^aider <|<(?:noreply@aider\.(?:dev|chat)|aider@aider\.chat)>/i),
  both('claude-code', /^claude\b[^<]*<noreply@anthropic\.com>|<noreply@anthropic\.com>/i),
  both('cursor', /^cursor(?: agent)? <|<cursoragent@cursor\.com>/i),
  both(
    'copilot',
    /copilot-swe-agent|^(?:github )?copilot\b(?:\[bot\])?[^<]*<|<[^>]*\+copilot@users\.noreply/i,
  ),
  both('devin', /devin-ai-integration\[bot\]/i),
  both('codex', /^(?:openai )?codex\b[^<]*<|<(?:noreply|codex)@openai\.com>|chatgpt-codex-connector\[bot\]/i),
  both(
    'gemini',
    /^gemini(?: cli| code assist)?\b[^<]*<[^>]*(?:google|gemini)|gemini-code-assist\[bot\]|<gemini-cli[^>]*>/i,
  ),
  both('jules', /google-labs-jules\[bot\]/i),
  both('opencode', /^opencode\b[^<]*<|<(?:noreply|bot)@opencode\.ai>|opencode-agent\[bot\]/i),
  both('kilo', /^kilo(?:code| code)?\b[^<]*<|<[^>]*@kilocode\.ai>|kilo-?code(?:-bot)?\[bot\]/i),
  both('amp', /<amp@ampcode\.com>/i),
  both('windsurf', /^(?:windsurf|cascade)\b[^<]*<[^>]*(?:windsurf|codeium)/i),
  both('openhands', /^openhands\b[^<]*<|<openhands@all-hands\.dev>/i),
  both('roo', /^roo ?code\b[^<]*<|<[^>]*@roocode\.com>/i),
];

function both(tool: string, pattern: RegExp): DeclarationPattern {
  return { tool, person: pattern, trailer: pattern };
}

/**
 * Patterns of a user's own: `author` is tried on `Name <e-mail>` of author and committer, `trailer` on the
 * values of co-author and similar trailers. Upper and lower case are alike.
 * @throws SyntaxError when the text is no regular expression
 */
export function declarationPattern(
  tool: string,
  texts: { author?: string; trailer?: string },
): DeclarationPattern {
  const pattern: DeclarationPattern = { tool };
  if (texts.author !== undefined) pattern.person = new RegExp(texts.author, 'i');
  if (texts.trailer !== undefined) pattern.trailer = new RegExp(texts.trailer, 'i');
  return pattern;
}

/** The AI that a commit names: by its author before its committer before a trailer; the first pattern wins. */
export function declaration(
  meta: Pick<CommitMeta, 'authorName' | 'authorEmail' | 'committerName' | 'committerEmail' | 'message'>,
  patterns: readonly DeclarationPattern[] = defaultDeclarationPatterns,
): Declaration | undefined {
  const trailers = [...meta.message.matchAll(TRAILERS)].map((match) => match[1]!.slice(0, 1000));
  const author = `${meta.authorName} <${meta.authorEmail}>`;
  const committer = `${meta.committerName} <${meta.committerEmail}>`;
  const found =
    firstMatch(patterns, 'author', 'person', author) ??
    firstMatch(patterns, 'committer', 'person', committer) ??
    trailers.map((trailer) => firstMatch(patterns, 'trailer', 'trailer', trailer)).find(Boolean);
  if (!found) return undefined;
  const model = trailers
    .filter((trailer) => firstMatch(patterns, 'trailer', 'trailer', trailer)?.tool === found.tool)
    .map(modelOf)
    .find(Boolean);
  return model === undefined ? found : { ...found, model };
}

function firstMatch(
  patterns: readonly DeclarationPattern[],
  by: Declaration['by'],
  field: 'person' | 'trailer',
  text: string,
): Declaration | undefined {
  const match = patterns.find((pattern) => pattern[field]?.test(text));
  return match && { tool: match.tool, by, source: 'agent' };
}

/** `aider (openai/gpt-5.2) <…>` names its model in brackets, `Claude Opus 4.1 <…>` in its name. */
function modelOf(trailer: string): string | undefined {
  const name = trailer.replace(/\s*<[^>]*>\s*$/, '');
  const model = /\(([^()]+)\)\s*$/.exec(name)?.[1] ?? /^(claude [a-z]+ \d[\w.]*)/i.exec(name)?.[1];
  return model === undefined || /^aider$/i.test(model) ? undefined : model.slice(0, 128);
}
