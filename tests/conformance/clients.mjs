// The TypeScript clients, new and old: list, call, an error, a read-only token, one event's token.
// Arguments: the endpoint, then the demo's tokens as JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const from = createRequire(`${process.cwd()}/package.json`);
const load = (name) => import(pathToFileURL(from.resolve(name)).href);
const [endpoint, tokens] = [new URL(process.argv[2]), JSON.parse(process.argv[3])];
const New = await load('@modelcontextprotocol/client');
const Old = {
  ...(await load('@modelcontextprotocol/sdk/client/index.js')),
  ...(await load('@modelcontextprotocol/sdk/client/streamableHttp.js')),
};

function must(right, what) {
  if (!right) throw new Error(what);
}

async function connected({ Client, StreamableHTTPClientTransport }, options, token, work) {
  const headers = { Authorization: `Bearer ${token}` };
  const client = new Client({ name: 'conformance', version: '1' }, options);
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const call = (client, name, args = {}) => client.callTool({ name, arguments: args });

async function everything(sdk, options) {
  const spoken = await connected(sdk, options, tokens.write, async (client) => {
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    must(names.includes('decide_submission'), 'a writing token sees what writes');
    const event = await call(client, 'get_event', { event: 'devconf-2027' });
    must(event.structuredContent.slug === 'devconf-2027', 'the event is read');
    const wrong = await call(client, 'get_event', { event: 'nonsense' });
    must(wrong.isError && wrong.content[0].text.includes('list_events'), 'an error says what next');
    must((await client.listPrompts()).prompts.length === 7, 'there are seven prompts');
    const agenda = await client.readResource({ uri: 'unsession://event/devconf-2027/agenda' });
    must(agenda.contents[0].mimeType === 'text/markdown', 'the agenda is read as text');
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'weekly_status' },
      argument: { name: 'event', value: 'dev' },
    });
    must(completed.completion.values.includes('devconf-2027'), 'the event is completed');
    return client.getNegotiatedProtocolVersion?.() ?? 'an older revision';
  });
  await connected(sdk, options, tokens.read, async (client) => {
    const tools = (await client.listTools()).tools;
    must(tools.every((tool) => tool.annotations.readOnlyHint), 'a reading token sees what reads');
    const refused = await call(client, 'undo', {});
    must(refused.isError && refused.content[0].text.includes('read-only'), 'it is told why');
  });
  await connected(sdk, options, tokens.eventRead, async (client) => {
    const found = (await call(client, 'list_events')).structuredContent.items;
    must(found.length === 1, "one event's token sees one event");
  });
  return spoken;
}

const modes = { legacy: 'legacy', auto: 'auto', pinned: { pin: '2026-07-28' } };
for (const [name, mode] of Object.entries(modes)) {
  console.log(`client, ${name}: ${await everything(New, { versionNegotiation: { mode } })}`);
}
console.log(`sdk 1.x: ${await everything(Old, {})}`);
