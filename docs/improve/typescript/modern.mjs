// The same server with version 2 of the TypeScript SDK, which speaks revision 2026-07-28 and the older ones. docs/improve.md shows parts of it.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const metres = { m: 1, ft: 0.3048, in: 0.0254 };
const unit = z.enum(['m', 'ft', 'in']);

function buildServer() {
  const server = new McpServer(
    {
      name: 'lengths',
      title: 'Length converter',
      version: '1.4.0',
      websiteUrl: 'https://lengths.example/',
      icons: [{ src: 'https://lengths.example/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
    },
    { instructions: 'Use this server to convert lengths between metres, feet and inches. It rounds to two decimals.' },
  );
  server.registerTool(
    'convert_length',
    {
      title: 'Convert a length',
      description: 'Converts a length between metres, feet and inches, and returns the value with its unit.',
      inputSchema: z.object({
        value: z.number().min(0).describe('the length to convert, zero or more'),
        from: unit.describe('unit of the value'),
        to: unit.describe('unit of the result'),
      }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async ({ value, from, to }) => ({
      content: [{ type: 'text', text: `${Math.round(((value * metres[from]) / metres[to]) * 100) / 100} ${to}` }],
    }),
  );
  return server;
}

void serveStdio(buildServer);
