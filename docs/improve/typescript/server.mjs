// A small MCP server written with version 1 of the TypeScript SDK that avoids the commonest findings. docs/improve.md shows parts of it.
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { hostHeaderValidation } from '@modelcontextprotocol/sdk/server/middleware/hostHeaderValidation.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

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
    {
      instructions:
        'Use this server to convert lengths. Call convert_length once for each value; it rounds to two decimals. ' +
        'It knows metres, feet and inches, and nothing else.',
    },
  );

  server.registerTool(
    'convert_length',
    {
      title: 'Convert a length',
      description: 'Converts a length between metres, feet and inches, and returns the value with its unit.',
      inputSchema: {
        value: z.number().min(0).describe('the length to convert, zero or more'),
        from: unit.describe('unit of the value'),
        to: unit.describe('unit of the result'),
      },
      outputSchema: {
        value: z.number().describe('the converted length, rounded to two decimals'),
        unit: unit.describe('unit of the converted length'),
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async ({ value, from, to }) => {
      const result = { value: Math.round(((value * metres[from]) / metres[to]) * 100) / 100, unit: to };
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
    },
  );

  server.registerResource(
    'units',
    'lengths://units',
    { title: 'Known units', description: 'The units that convert_length knows, one on each line.', mimeType: 'text/plain' },
    async uri => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: Object.keys(metres).join('\n') }] }),
  );
  return server;
}

// Every list fits on one page, so no cursor was ever issued and none can be right.
function refuseCursors(transport) {
  const next = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (message.method?.endsWith('/list') && message.params?.cursor !== undefined) {
      void transport.send({ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'unknown cursor' } });
      return;
    }
    next(message, extra);
  };
}

async function connect(transport) {
  const server = buildServer();
  await server.connect(transport);
  refuseCursors(transport);
  return server;
}

function refuse(res, code, message) {
  res.status(400).json({ jsonrpc: '2.0', id: null, error: { code, message } });
}

function buildApp() {
  const app = express();
  app.use(hostHeaderValidation(['127.0.0.1', 'localhost', '[::1]']));
  const origins = []; // programs send none; add the pages that may use the server
  app.use((req, res, next) => {
    const origin = req.get('origin');
    if (origin !== undefined && !origins.includes(origin)) return res.status(403).send('this origin may not use the server');
    next();
  });
  app.use(express.json());
  app.use((error, _req, res, _next) => refuse(res, -32700, 'the body is not JSON'));
  app.use((req, res, next) => {
    const method = req.body?.method;
    if (method !== undefined && typeof method !== 'string') return refuse(res, -32600, 'the method is not a string');
    next();
  });
  app.post('/mcp', async (req, res) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    const server = await connect(transport);
    res.on('close', () => void server.close());
    await transport.handleRequest(req, res, req.body);
  });
  app.all('/mcp', (_req, res) => res.status(405).set('Allow', 'POST').end());
  return app;
}

const port = process.argv[2];
if (port === undefined) await connect(new StdioServerTransport());
else buildApp().listen(Number(port), '127.0.0.1');
