// Which paths a tool writes or a project copies from another. The facts are linguist's (github-linguist/linguist,
// lib/linguist/vendor.yml and generated.rb, read in its version of August 2026), as far as they say who wrote a
// file; what was left out, and what else is here, is in docs/decisions/0009-excluded-files.md.

/** What package managers write to pin versions. */
export const LOCK_FILE = new RegExp(
  `^(${[
    'package-lock\\.json',
    'npm-shrinkwrap\\.json',
    'yarn\\.lock',
    'pnpm-lock\\.yaml',
    'bun\\.lockb?',
    'deno\\.lock',
    'cargo\\.lock',
    'go(\\.work)?\\.sum',
    '(gopkg|glide)\\.lock',
    '(poetry|pipfile|pdm|uv|pixi)\\.lock',
    'gemfile\\.lock',
    'composer\\.lock',
    '(mix|pubspec|podfile|flake|conan)\\.lock',
    'package\\.resolved',
    'packages\\.lock\\.json',
    '(buildscript-)?gradle\\.lockfile',
    '\\.terraform\\.lock\\.hcl',
    'module\\.bazel\\.lock',
    '(\\w+\\.)?esy\\.lock',
    'mise(\\..+)?\\.lock',
    '(julia)?manifest(-v\\d+\\.\\d+)?\\.toml',
  ].join('|')})$`,
  'i',
);

/** Folders of other people's code, in lower case. */
const VENDORED_FOLDERS = new Set(
  `node_modules bower_components jspm_packages flow-typed xvba_modules .yarn .pnpm
  vendor vendors extern external externals third_party third-party thirdparty 3rdparty 3rd_party 3rd-party
  testdata site-packages .venv .tox dist pods carthage sparkle
  admin_media ace-builds mathjax extjs select2 bourbon bootstrap-datepicker puphpet .google_apis
  .vscode .obsidian`.split(/\s+/),
);

/** Libraries that are checked in as one script or stylesheet: those whose parts have names of their own, … */
const LIBRARIES_OF_PARTS =
  'bootstrap|angular|yui|yahoo|tiny_mce|fontello|mootools|cordova|modernizr|shBrush|foundation|slick|[Ll]eaflet|jquery[.-]ui';
/** … those whose name is followed by a version or a build at most, … */
const LIBRARIES =
  'jquery[^./]*(\\.effects\\.\\w+|\\.(validate|unobtrusive|validate\\.unobtrusive|unobtrusive-ajax)|\\.fn\\.gantt)?|' +
  'jquery\\.(fancybox|fileupload(-\\w+)?|dataTables)|' +
  'knockout|html5shiv|ckeditor|d3|react(-dom)?|prototype|dojo|MochiKit|Chart|fuelux|bootbox|pdf\\.worker|' +
  'wicket-leaflet|shCore|shLegacy|[Mm]icrosoft([Mm]vc)?([Aa]jax|[Vv]alidation)|materialize';
/** … and stylesheets. */
const STYLES = 'font-?awesome|foundation|normalize|skeleton|animate|materialize|bulma|(sprockets-)?octicons';
const BUILD = '([.-](v?\\d\\w*|min|debug|slim|core|all|bundle|umd|development|production))*';

const VENDORED_PATH = any([
  '^([Dd]ependencies|deps)/',
  `(^|/)(${LIBRARIES_OF_PARTS})\\w*([.-]\\w+)*\\.(js|css|less|scss|styl)$`,
  `(^|/)(${LIBRARIES})${BUILD}\\.js$`,
  `(^|/)(${STYLES})${BUILD}\\.(css|less|scss|sass|styl)$`,
  '(-vsdoc|\\.intellisense)\\.js$',
  '(^|/)tiny_mce/(langs|plugins|themes|utils)/',
  '(^|/)[Cc]ode[Mm]irror/(\\d+\\.\\d+/)?(lib|mode|theme|addon|keymap|demo)/',
  '(^|/)font-?awesome/.*\\.(css|less|scss|styl)$',
  // autoconf and libtool
  '(^|/)(configure|config\\.guess|config\\.sub)$',
  '(^|/)(aclocal|libtool|ltoptions|ltsugar|ltversion|lt~obsolete)\\.m4$',
  '(^|/)(gradlew(\\.bat)?|mvnw(\\.cmd)?|waf|activator(\\.bat)?)$',
  '(^|/)(gradle|\\.mvn)/wrapper/',
  '(^|/)(cpplint\\.py|erlang\\.mk|\\.indent\\.pro|_esy|run\\.n)$|^rebar$',
  '(^|/)dotnet-install\\.(ps1|sh)$',
  '(^|/)([Tt]ests?|[Ss]pecs?)/fixtures/',
  '(^|/)docs?/_?(build|themes?|templates?|static)/',
  '(^|/)inst/extdata/',
  '(^|/)[Pp]ackages/.+\\.\\d+/',
  '\\.(framework|xctemplate|imageset)/',
  '(^|/)(bootstrap[-.]\\d[^/]*|[Gg]odeps/_workspace)/',
  '(^|/)\\.(DS_Store|osx)$',
]);

const GENERATED_FOLDERS = new Set(['__snapshots__', '__generated__', 'htmlcov', '.idea', 'godeps']);
const GENERATED_PATH = any([
  '\\.pb\\.(go|cc|h|cpp|gw\\.go)$',
  '_pb2(_grpc)?\\.pyi?$',
  '_pb\\.(js|ts|d\\.ts|rb)$',
  '\\.(g|freezed|pb|pbenum|pbgrpc|pbjson)\\.dart$',
  '\\.(designer|g|g\\.i)\\.(cs|vb)$',
  '\\.feature\\.cs$',
  '\\.generated\\.[a-z]+$',
  '(^|[/._-])zz_generated[._].*\\.go$',
  '\\.zep\\.(c|h|php)$',
  '\\.snap$',
  '\\.(js|mjs|cjs|css)\\.map$',
  '\\.tsbuildinfo$',
  '\\.(nib|xcworkspacedata|xcuserstate)$',
  '_tlb\\.pas$',
  '(^|/)(\\.pnp\\..*|\\.secrets\\.baseline|cargo\\.toml\\.orig)$',
  '(^|/)\\.sqlx/query-[a-f\\d]{64}\\.json$',
]);

function any(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|'));
}

const foldersOf = (path: string) => path.toLowerCase().split('/').slice(0, -1);

/** Whether a path belongs to code that was copied from elsewhere. */
export function isVendoredPath(path: string): boolean {
  return VENDORED_PATH.test(path) || foldersOf(path).some((folder) => VENDORED_FOLDERS.has(folder));
}

/** Whether a path's name says that a program writes it. */
export function isGeneratedPath(path: string): boolean {
  return (
    GENERATED_PATH.test(path.toLowerCase()) || foldersOf(path).some((folder) => GENERATED_FOLDERS.has(folder))
  );
}
