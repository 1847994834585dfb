// The TypeScript client with nothing but the address: registers, is allowed to read, calls, is
// stepped up to writing. Arguments: the endpoint, and where to ask what a browser would do.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const from = createRequire(`${process.cwd()}/package.json`);
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import(
  pathToFileURL(from.resolve('@modelcontextprotocol/client')).href
);
const [endpoint, browser] = [new URL(process.argv[2]), process.argv[3]];

class Provider {
  redirectUrl = 'http://127.0.0.1:9/callback';
  scope = 'read';
  get clientMetadata() {
    return {
      client_name: 'conformance',
      redirect_uris: [this.redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
  }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.held; }
  saveTokens(tokens) { this.held = tokens; }
  state() { return 'state-of-the-test'; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  discoveryState() { return this.discovery; }
  saveDiscoveryState(state) { this.discovery = state; }
  async redirectToAuthorization(url) {
    const asked = `${browser}?scope=${this.scope}&url=${encodeURIComponent(url)}`;
    this.back = new URL(await (await fetch(asked)).text());
  }
}

const unauthorized = (error) =>
  error instanceof UnauthorizedError || /Unauthorized/.test(`${error?.message}${error?.cause}`);

for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
  const provider = new Provider();
  const make = () => [
    new Client({ name: 'conformance', version: '1' }, { versionNegotiation: { mode } }),
    new StreamableHTTPClientTransport(endpoint, { authProvider: provider }),
  ];
  let [client, transport] = make();
  const finish = (over) => over.finishAuth(provider.back.searchParams);
  try {
    await client.connect(transport);
  } catch (error) {
    if (!unauthorized(error)) throw error;
    await finish(transport);
    [client, transport] = make();
    await client.connect(transport);
  }
  const before = (await client.callTool({ name: 'whoami', arguments: {} })).structuredContent;
  if (before.scope !== 'read') throw new Error(`allowed to read, and has ${before.scope}`);
  provider.scope = 'write';
  const write = {
    name: 'update_event',
    arguments: { event: 'devconf-2027', name: 'DevConf 2027', dryRun: true },
  };
  let done;
  try {
    done = await client.callTool(write);
  } catch {
    await finish(transport);
    done = await client.callTool(write);
  }
  if (done.isError || !done.structuredContent.dryRun) throw new Error('it was not stepped up');
  const spoken = client.getNegotiatedProtocolVersion?.() ?? 'an older revision';
  console.log(`${JSON.stringify(mode)}: registered, read, stepped up (${spoken})`);
  await client.close();
}
