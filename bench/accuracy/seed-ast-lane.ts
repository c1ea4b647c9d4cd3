import { setImmediate } from 'node:timers/promises';
import { grammarOf } from '@lineprint/syntax/dist/grammars.js';
import Parser from 'tree-sitter';
import { murmur3 } from './murmur3';
import type { SeedLane } from './seed-attribution';

const HASHES = 128;
const BANDS = 16;
const SEED_BASE = 42;
const SHINGLE = 3;
/** What the document's pseudocode gives where there is no shingle. */
const EMPTY = 0xffff_ffff;

/**
 * What the server computes (sections 6.2 and 6.3): node types of the syntax tree in preorder, shingles of three,
 * 128 hashes. Languages without a grammar are cut into characters, as its section 10 says.
 */
export class AstLane implements SeedLane {
  private readonly parser = new Parser();
  private readonly grammars = new Map<string, Parser.Language | undefined>();
  /** Texts share most of their shingles: each is hashed once. */
  private readonly hashes = new Map<string, Uint32Array>();
  private parses = 0;

  async sign(text: string, language: string): Promise<{ signature: Uint32Array; buckets: number[] }> {
    const signature = new Uint32Array(HASHES).fill(EMPTY);
    for (const shingle of await this.shingles(text, language)) {
      const hashes = this.hashesOf(shingle);
      for (let i = 0; i < HASHES; i++) if (hashes[i]! < signature[i]!) signature[i] = hashes[i]!;
    }
    return { signature, buckets: bucketsOf(signature) };
  }

  private async shingles(text: string, language: string): Promise<Set<string>> {
    const shingles = new Set<string>();
    const grammar = await this.grammar(language);
    if (!grammar) {
      for (let i = 0; i + SHINGLE <= text.length; i++) shingles.add(text.slice(i, i + SHINGLE));
      return shingles;
    }
    // A tree's memory is freed by the event loop alone.
    if (++this.parses % 20 === 0) await setImmediate();
    this.parser.setLanguage(grammar);
    const types = nodeTypes(this.parser.parse(text).walk());
    for (let i = 0; i + SHINGLE <= types.length; i++) {
      shingles.add(`(${types.slice(i, i + SHINGLE).join(', ')})`);
    }
    return shingles;
  }

  private async grammar(language: string): Promise<Parser.Language | undefined> {
    if (!this.grammars.has(language)) this.grammars.set(language, await loadGrammar(language));
    return this.grammars.get(language);
  }

  private hashesOf(shingle: string): Uint32Array {
    let hashes = this.hashes.get(shingle);
    if (!hashes) {
      const bytes = Buffer.from(shingle, 'utf8');
      hashes = Uint32Array.from({ length: HASHES }, (_, i) => murmur3(bytes, SEED_BASE + i));
      this.hashes.set(shingle, hashes);
    }
    return hashes;
  }
}

async function loadGrammar(language: string): Promise<Parser.Language | undefined> {
  const grammar = grammarOf(language);
  if (!grammar) return undefined;
  const { default: exported } = (await import(grammar.module)) as { default: Record<string, unknown> };
  return (grammar.member ? exported[grammar.member] : exported) as Parser.Language;
}

/** As Python prints them inside a tuple. */
function nodeTypes(cursor: Parser.TreeCursor): string[] {
  const types: string[] = [];
  for (;;) {
    types.push(pythonText(cursor.nodeType));
    if (cursor.gotoFirstChild()) continue;
    while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return types;
  }
}

function pythonText(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return escaped.includes("'") && !escaped.includes('"')
    ? `"${escaped}"`
    : `'${escaped.replaceAll("'", "\\'")}'`;
}

function bucketsOf(signature: Uint32Array): number[] {
  const rows = HASHES / BANDS;
  return Array.from({ length: BANDS }, (_, band) => {
    const values = signature.subarray(band * rows, (band + 1) * rows);
    return murmur3(Buffer.from(`(${Array.from(values).join(', ')})`, 'utf8'), band);
  });
}
