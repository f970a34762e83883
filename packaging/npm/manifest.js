// Writes the package.json of a package: manifest.js system VERSION NAME, or manifest.js main VERSION NAME... with the names of all systems.
'use strict';
const [kind, version, ...names] = process.argv.slice(2);
const scope = '@mcp-hallmark/hallmark';
const shared = {
  version,
  description: 'Audit MCP servers: what they serve, how they serve it, and what that is worth',
  license: 'Apache-2.0',
  repository: {type: 'git', url: 'git+https://github.com/mcp-hallmark/hallmark.git'},
};
let manifest;
if (kind === 'system') {
  const [os, cpu] = names[0].split('-');
  manifest = {name: `${scope}-${names[0]}`, ...shared, os: [os], cpu: [cpu], files: ['bin', 'LICENSE'], preferUnplugged: true};
} else {
  manifest = {
    name: scope, ...shared, keywords: ['mcp', 'audit', 'model-context-protocol'], bin: {hallmark: 'bin/hallmark.js'}, files: ['bin', 'LICENSE', 'README.md'],
    engines: {node: '>=18'}, optionalDependencies: Object.fromEntries(names.map((name) => [`${scope}-${name}`, version])),
  };
}
process.stdout.write(JSON.stringify(manifest, null, 2) + '\n');
