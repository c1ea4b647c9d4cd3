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

/**
 * Steps of the parser (each 100 of its operations) that a text may take. Real code, also cut in the middle, takes
 * at most 0.02 a unit and 20 (7,000 texts in eleven languages); hostile texts take up to 0.1.
 */
const stepsAllowed = (units: number): number => 0.03 * units + 100;

const parser = new Parser();
let stepsLeft = 0;
/** One for all parses: tree-sitter keeps every callback that it has had. */
const isOutOfSteps = (): boolean => --stepsLeft < 0;
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
  stepsLeft = stepsAllowed(request.content.length);
  // Not null as its type says: a parse that was stopped gives null.
  const options = { progressCallback: isOutOfSteps };
  const tree = parser.parse(request.content, undefined, options) as Parser.Tree | null;
  if (tree === null) {
    // Else the next parse would go on with this text.
    parser.reset();
    return { status: 'too-complex', chunks: [] };
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
