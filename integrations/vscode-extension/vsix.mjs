import { crc32, deflateRawSync } from 'node:zlib';

/** 1980-01-01, the first day that an archive knows: the same content gives the same bytes. */
const DATE = 0x21;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;
const VERSION_NEEDED = 20;

const CONTENT_TYPES = {
  '.json': 'application/json',
  '.js': 'application/javascript',
  '.cjs': 'application/javascript',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.vsixmanifest': 'text/xml',
};

/**
 * An extension's package, as editors install it: a zip with two files that describe it.
 *
 * @param {Record<string, any>} manifest the extension's package.json
 * @param {Record<string, Buffer>} files its files by name, package.json, README.md and LICENSE.txt among them
 * @returns {Buffer}
 */
export function vsix(manifest, files) {
  const own = Object.entries(files).map(([name, content]) => [`extension/${name}`, content]);
  return zip([
    ['extension.vsixmanifest', Buffer.from(vsixManifest(manifest))],
    ['[Content_Types].xml', Buffer.from(contentTypes())],
    ...own,
  ]);
}

const escaped = (text) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]);

function vsixManifest({
  name,
  displayName,
  description,
  version,
  publisher,
  categories,
  engines,
  extensionKind,
}) {
  const property = (id, value) =>
    `      <Property Id="Microsoft.VisualStudio.Code.${id}" Value="${escaped(value)}"/>`;
  const asset = (type, file) =>
    `    <Asset Type="Microsoft.VisualStudio.${type}" Path="extension/${file}" Addressable="true"/>`;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(name)}" Version="${escaped(version)}" Publisher="${escaped(publisher)}"/>
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Categories>${escaped(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <License>extension/LICENSE.txt</License>
    <Properties>
${property('Engine', engines.vscode)}
${property('ExtensionDependencies', '')}
${property('ExtensionPack', '')}
${property('ExtensionKind', extensionKind.join(','))}
${property('LocalizedLanguages', '')}
${property('ExecutesCode', 'true')}
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
${asset('Code.Manifest', 'package.json')}
${asset('Services.Content.Details', 'README.md')}
${asset('Services.Content.License', 'LICENSE.txt')}
  </Assets>
</PackageManifest>
`;
}

function contentTypes() {
  const types = Object.entries(CONTENT_TYPES).map(
    ([extension, type]) => `  <Default Extension="${extension}" ContentType="${type}"/>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${types.join('\n')}
</Types>
`;
}

/** @param {[name: string, content: Buffer][]} entries */
function zip(entries) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const encoded = Buffer.from(name);
    const packed = deflateRawSync(content, { level: 9 });
    // What the file's own header and the directory at the end have in common.
    const common = Buffer.alloc(26);
    [VERSION_NEEDED, UTF8_NAMES, DEFLATED, 0, DATE].forEach((value, i) => common.writeUInt16LE(value, i * 2));
    [crc32(content), packed.length, content.length].forEach((value, i) =>
      common.writeUInt32LE(value, 10 + i * 4),
    );
    common.writeUInt16LE(encoded.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), common, encoded, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([VERSION_NEEDED, 0]), common, rest, encoded);
    offset += 4 + common.length + encoded.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06'), end]);
}
