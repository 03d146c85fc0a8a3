/**
 * Reads the requests of many buyers as an assistant and searches every response for what an
 * assistant must never get. Exits with 1 if it finds something.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readOverMcp, readOverRest } from './read-as-assistant.js';
import { valuesOf, WithheldWords } from './withheld-words.js';

const USAGE = `node src/prove.js --url https://api.example.com --buyers buyers.ndjson --tokens tokens.txt

  --url      the service's address; MCP is read at the same address, under /mcp
  --buyers   the file that buyers.sql makes
  --tokens   lines of a buyer's id and an access token, with a blank between
  --no-mcp   reads over REST alone
`;

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    buyers: { type: 'string' },
    tokens: { type: 'string' },
    'no-mcp': { type: 'boolean', default: false },
  },
});
if (!values.url || !values.buyers || !values.tokens) {
  process.stderr.write(USAGE);
  process.exit(2);
}

const linesOf = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean);
const baseUrl = values.url.replace(/\/$/, '');
const buyers = linesOf(values.buyers).map((line) => JSON.parse(line));
const tokens = new Map(linesOf(values.tokens).map((line) => line.trim().split(/\s+/)));

let responses = 0;
const findings = [];
const notSearched = new Map();
let read = 0;

for (const buyer of buyers) {
  const accessToken = tokens.get(buyer.buyerId);
  if (accessToken === undefined) continue;
  const withheld = new WithheldWords(buyer);
  for (const [name, reason] of withheld.notSearched) notSearched.set(name, reason);
  const searchedFetch = async (input, init) => {
    const response = await fetch(input, init);
    responses += 1;
    const found = withheld.findIn(valuesOf(response.headers, await response.clone().text()));
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    if (found.length > 0) findings.push({ buyerId: buyer.buyerId, at: pathname + search, found });
    return response;
  };
  await readOverRest(baseUrl, accessToken, searchedFetch);
  if (!values['no-mcp']) await readOverMcp(`${baseUrl}/mcp`, accessToken, searchedFetch);
  read += 1;
}

const number = (count) => count.toLocaleString('en-US');
const say = (line) => process.stdout.write(`${line}\n`);
for (const { buyerId, at, found } of findings) say(`buyer ${buyerId}, ${at}: ${found.join(', ')}`);
say(`${number(findings.length)} of ${number(responses)} responses`);
say(`Read ${number(read)} of ${number(buyers.length)} buyers.`);
if (notSearched.size > 0) {
  say('Names not searched:');
  for (const [name, reason] of notSearched) say(`  ${name} (${reason})`);
}
// A run that read nobody proves nothing.
if (findings.length > 0 || read === 0) process.exitCode = 1;
