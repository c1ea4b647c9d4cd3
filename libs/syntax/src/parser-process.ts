/**
 * Entry of the process that parses: native code, fed with other people's files, must not take a service down.
 * It answers the requests of parser-pool.ts one by one, and ends with its parent.
 */
import { setImmediate } from 'node:timers/promises';
import Parser from 'tree-sitter';
import { chunksOf, NodeClasses, wholeSignature } from './ast-chunks';
import type { AstFile, ParseRequest, ParserMessage } from './ast-file';
import { grammarOf, type Grammar } from './grammars';

/** A tree's memory is freed by the event loop, not by a collection: without turns of it memory only grows. */
const PARSES_A_TURN = 20;

interface LoadedGrammar {
  readonly language: Parser.Language;
  readonly classes: NodeClasses;
}

const parser = new Parser();
const loaded = new Map<string, LoadedGrammar>();
let parses = 0;

function memberFor(grammar: Grammar, content: string): string | undefined {
  return grammar.bare && !content.includes(grammar.bare.marker) ? grammar.bare.member : grammar.member;
}

/** Loads a grammar when its first file comes: all of them take 60 MB. */
async function load(grammar: Grammar, content: string): Promise<LoadedGrammar> {
  const member = memberFor(grammar, content);
  const name = `${grammar.module} ${member}`;
  let found = loaded.get(name);
  if (found === undefined) {
    const { default: exported } = (await import(grammar.module)) as { default: Record<string, unknown> };
    const language = (member === undefined ? exported : exported[member]) as Parser.Language;
    loaded.set(name, (found = { language, classes: new NodeClasses(grammar.functions) }));
  }
  return found;
}

async function parse(request: ParseRequest): Promise<AstFile> {
  const grammar = grammarOf(request.language);
  if (grammar === undefined) return { status: 'unsupported', chunks: [] };
  const { language, classes } = await load(grammar, request.content);
  parser.setLanguage(language);
  parser.setTimeoutMicros(request.timeoutMs * 1000);
  // Not null as its type says: a parse that ran out of time gives null.
  const tree = parser.parse(request.content) as Parser.Tree | null;
  if (tree === null) {
    // Else the next parse would go on with this text.
    parser.reset();
    return { status: 'timeout', chunks: [] };
  }
  if (request.ranges !== undefined) {
    const chunks = chunksOf(tree.walk(), classes, request.content, request.ranges, request.maxDepth);
    return { status: 'parsed', chunks };
  }
  const signed = wholeSignature(tree.walk(), classes, request.maxDepth);
  const last = request.content.split('\n').length - 1;
  return { status: 'parsed', chunks: signed ? [{ first: 0, last, kind: 'hunk', ...signed }] : [] };
}

function send(message: ParserMessage): void {
  process.send?.(message);
}

async function answer(request: ParseRequest): Promise<void> {
  let file: AstFile;
  try {
    file = await parse(request);
  } catch {
    file = { status: 'failed', chunks: [] };
  }
  if (++parses % PARSES_A_TURN === 0) await setImmediate();
  send({ kind: 'answer', file, rssBytes: process.memoryUsage.rss() });
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request: ParseRequest) => void answer(request));
send({ kind: 'ready' });
