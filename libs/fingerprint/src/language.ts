const extensions: Record<string, string> = {
  bash: 'sh bash zsh ksh bats',
  c: 'c h',
  clojure: 'clj cljs cljc edn',
  cmake: 'cmake',
  cpp: 'cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cu cuh ino',
  csharp: 'cs csx',
  css: 'css',
  dart: 'dart',
  elixir: 'ex exs',
  erlang: 'erl hrl',
  fsharp: 'fs fsi fsx',
  go: 'go',
  graphql: 'graphql gql',
  groovy: 'groovy gradle',
  haskell: 'hs',
  html: 'html htm xhtml',
  ini: 'ini cfg conf properties env editorconfig',
  java: 'java',
  javascript: 'js jsx mjs cjs es6',
  json: 'json jsonc json5 jsonl geojson webmanifest ipynb',
  julia: 'jl',
  kotlin: 'kt kts',
  less: 'less',
  lisp: 'lisp el scm rkt',
  lua: 'lua',
  makefile: 'mk mak make',
  markdown: 'md markdown mdx',
  nim: 'nim',
  'objective-c': 'm mm',
  ocaml: 'ml mli',
  perl: 'pl pm',
  php: 'php phtml php5 inc',
  plaintext: 'txt rst adoc tex',
  powershell: 'ps1 psm1 psd1',
  proto: 'proto',
  python: 'py pyi pyw pyx',
  r: 'r',
  ruby: 'rb rake gemspec ru podspec',
  rust: 'rs',
  scala: 'scala sc sbt',
  scss: 'scss sass',
  sql: 'sql ddl dml psql',
  svelte: 'svelte astro',
  swift: 'swift',
  terraform: 'tf tfvars hcl',
  toml: 'toml',
  tsx: 'tsx',
  typescript: 'ts mts cts',
  vb: 'vb vbs bas',
  vue: 'vue',
  xml: 'xml xsd xsl xslt svg csproj fsproj vbproj props targets plist resx xaml',
  yaml: 'yaml yml',
  zig: 'zig',
};

const basenames: Record<string, string> = {
  '.babelrc': 'json',
  '.bash_profile': 'bash',
  '.bashrc': 'bash',
  '.eslintrc': 'json',
  '.prettierrc': 'json',
  '.profile': 'bash',
  '.zshrc': 'bash',
  'cmakelists.txt': 'cmake',
  'go.mod': 'go',
  brewfile: 'ruby',
  containerfile: 'dockerfile',
  dockerfile: 'dockerfile',
  gemfile: 'ruby',
  gnumakefile: 'makefile',
  jenkinsfile: 'groovy',
  makefile: 'makefile',
  pipfile: 'toml',
  podfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
};

const byExtension = new Map(
  Object.entries(extensions).flatMap(([language, list]) => list.split(' ').map((ext) => [ext, language])),
);
const byBasename = new Map(Object.entries(basenames));

const basenameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();

/** Longest extension reported, in characters: the width of the field in every message and table. */
const MAX_EXTENSION = 16;

/** Extension of a path in lower case without its dot; empty when there is none. */
export function extensionOf(path: string): string {
  const basename = basenameOf(path);
  const dot = basename.lastIndexOf('.');
  const extension = dot > 0 ? basename.slice(dot + 1) : '';
  return extension.length <= MAX_EXTENSION ? extension : '';
}

/** Language id of a path by its name, `text` when unknown. Never looks into the file. */
export function languageOf(path: string): string {
  const basename = basenameOf(path);
  const known = byBasename.get(basename) ?? byExtension.get(extensionOf(path));
  if (known !== undefined) return known;
  return /^(dockerfile|containerfile)\./.test(basename) ? 'dockerfile' : 'text';
}
