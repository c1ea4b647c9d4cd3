import type { Declaration } from '@lineprint/contracts';
import type { CommitMeta } from './commit-parser';

/** One way in which a commit names an AI. */
export interface DeclarationPattern {
  /** What the declaration is reported as, e.g. `claude-code`. */
  tool: string;
  /** Tried on the author, then on the committer, written `Name <e-mail>`. */
  person?: RegExp;
  /** Tried on each `Key: value` line of the message below its subject. */
  trailer?: RegExp;
  /** Tried on the first line of the message. */
  subject?: RegExp;
}

/** A `Key: value` line. Not only of the last paragraph: squashed commits leave theirs in the middle. */
const TRAILERS = /^[a-z][\w-]*: *\S.*$/gim;
/** Values of these trailers name a tool, never a person. */
const TOOL_TRAILER = '(?:ai-)?(?:assisted|generated)-(?:by|with)';

/**
 * Known assistants by the names and addresses that they commit with. `(aider)` behind a committer's name
 * is aider's convention for commits that it made of a human's own edits: by that convention AI-assisted.
 */
export const defaultDeclarationPatterns: readonly DeclarationPattern[] = [
  {
    ...known('aider', '.*\\(aider\\)|aider(?: \\(.*\\))?', 'noreply@aider\\.(?:dev|chat)|aider@aider\\.chat'),
    // Before it put its name behind the author's, its commits began so.
    subject: /^aider: /i,
  },
  known('claude-code', 'claude(?: code)?\\[bot\\]|claude code', 'noreply@anthropic\\.com'),
  known('cursor', 'cursor ?agent|cursor(?:\\[bot\\])?', 'cursoragent@cursor\\.com'),
  known(
    'copilot',
    'copilot-swe-agent(?:\\[bot\\])?|(?:github )?copilot',
    '.*\\+copilot@users\\.noreply\\.github\\.com',
  ),
  known('devin', 'devin-ai-integration(?:\\[bot\\])?|devin ai', '.*\\+devin-ai-integration\\[bot\\]@.*'),
  known(
    'codex',
    '(?:openai )?codex(?: cli)?|chatgpt-codex-connector\\[bot\\]',
    '(?:noreply|codex)@openai\\.com',
  ),
  known(
    'gemini',
    'gemini[ -](?:cli|code assist)|gemini-code-assist\\[bot\\]',
    'gemini-(?:cli|code-assist)@.*',
  ),
  known('jules', 'google-labs-jules(?:\\[bot\\])?', '.*\\+google-labs-jules\\[bot\\]@.*'),
  known('opencode', 'opencode(?:-agent\\[bot\\])?', '[^@]*@opencode\\.ai'),
  known('kilo', 'kilo ?code|kilo-?code(?:-bot)?\\[bot\\]', '[^@]*@kilocode\\.ai'),
  known('amp', 'amp code', 'amp@ampcode\\.com'),
  known('windsurf', 'windsurf|windsurf-bot\\[bot\\]', '[^@]*@windsurf\\.com'),
  known('openhands', 'openhands(?:-agent)?', 'openhands@all-hands\\.dev'),
  known('roo', 'roo ?code', '[^@]*@roocode\\.com'),
  // A trailer of a tool that names only its model.
  {
    tool: 'unnamed',
    trailer: new RegExp(
      `^${TOOL_TRAILER}: *(?:\\S+[ :/])?(?:chatgpt|gpt-?\\d|o[134]\\b|grok|deepseek|qwen|llama|mistral|codestral|devstral|kimi|glm-\\d)`,
      'i',
    ),
  },
];

/** @param name,address sources of patterns for the whole name, the whole e-mail address */
function known(tool: string, name: string, address: string): DeclarationPattern {
  const person = `(?:${name}) <[^<>]*>$|[^<]*<(?:${address})>$`;
  const brand = tool.split('-')[0]!;
  const trailer = `co-authored-by: *(?:${person}|(?:${name})$)|${TOOL_TRAILER}: *(?:\\S+ )?(?:${brand}|${name})\\b`;
  return { tool, person: new RegExp(`^(?:${person})`, 'i'), trailer: new RegExp(`^(?:${trailer})`, 'i') };
}

/**
 * Patterns of a user's own: `author` is tried on `Name <e-mail>` of author and committer, `trailer` on the
 * `Key: value` lines of the message. Upper and lower case are alike.
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

/** The AI that a commit names: by its author, else its committer, a trailer, its subject; the first pattern wins. */
export function declaration(
  meta: Pick<CommitMeta, 'authorName' | 'authorEmail' | 'committerName' | 'committerEmail' | 'message'>,
  patterns: readonly DeclarationPattern[] = defaultDeclarationPatterns,
): Declaration | undefined {
  const body = meta.message.slice(meta.message.indexOf('\n') + 1);
  const trailers = [...body.matchAll(TRAILERS)].map((match) => match[0].trim().slice(0, 1000));
  const author = `${meta.authorName} <${meta.authorEmail}>`;
  const committer = `${meta.committerName} <${meta.committerEmail}>`;
  const found =
    firstMatch(patterns, 'author', 'person', author) ??
    firstMatch(patterns, 'committer', 'person', committer) ??
    trailers.map((trailer) => firstMatch(patterns, 'trailer', 'trailer', trailer)).find(Boolean) ??
    firstMatch(patterns, 'subject', 'subject', meta.message.split('\n', 1)[0]!.slice(0, 1000));
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
  field: 'person' | 'trailer' | 'subject',
  text: string,
): Declaration | undefined {
  const match = patterns.find((pattern) => pattern[field]?.test(text));
  return match && { tool: match.tool, by, source: 'agent' };
}

/** `aider (openai/gpt-5.2) <…>`, `Claude Opus 4.6 <…>` and `Claude:claude-opus-4.6` name their model. */
function modelOf(trailer: string): string | undefined {
  const name = trailer.replace(/^[^:]*: */, '').replace(/\s*<[^>]*>\s*$/, '');
  const model =
    // Before what stands in brackets, which may be the size of its context.
    /^(claude [a-z]+ \d[\w.]*)/i.exec(name)?.[1] ??
    /\(([^()]+)\)$/.exec(name)?.[1] ??
    /^[\w-]+:([\w./-]+)/.exec(name)?.[1] ??
    /^((?:gpt|grok|deepseek|qwen|llama|mistral|kimi|glm)-?\d[\w./-]*)/i.exec(name)?.[1];
  return model === undefined || /^aider$/i.test(model) ? undefined : model.slice(0, 128);
}
