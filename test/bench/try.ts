import { openBenchDatabase } from './world/bench-database.js';
import { BenchIssuer } from './servers/bench-issuer.js';
import { ServerProcess } from './servers/server-process.js';
import { signedInBuyers, scenarios } from './load/scenarios.js';
import { proveSameAnswers } from './proof.js';
import { LoadGenerator } from './load/load-generator.js';
const t0 = Date.now();
const db = await openBenchDatabase(200_000, true);
console.log('db', Date.now() - t0);
const issuer = await BenchIssuer.start();
const env = { DATABASE_URL: db.url, NODE_ENV: 'production', READ_RATE_LIMIT: '1000000', BENCH_PUBLIC_KEY: issuer.publicPem, ...issuer.environment };
const groups = new Map();
for (const g of db.groups) groups.set(g.name, await signedInBuyers(g, 400, issuer));
const some = groups.get('everyday')[0];
const servers = [];
try {
  for (const name of ['service', 'B', 'D'] as const) { const s = await ServerProcess.start(name, env, some.session); servers.push(s); console.log(name, s.firstAnswerMs); }
  console.log(await proveSameAnswers(servers[0]!, servers.slice(1), [...groups.get('everyday').slice(0, 30), ...groups.get('large-sets').slice(0,2)], issuer));
  const gen = new LoadGenerator();
  const sc = scenarios(groups, 16);
  for (let r = 0; r < 1; r++) for (const n of ['one', 'list', 'since', 'poll'] as const) for (const s of servers) {
    const res = await gen.take({ url: s.url, seconds: 2, connections: sc.get(n)!.connections });
    console.log(r, n, s.name, Math.round(res.requests / res.seconds), res.p50.toFixed(1), res.p99.toFixed(1), res.failures);
  }
  await gen.stop();
} finally { for (const s of servers) await s.stop(); issuer.stop(); await db.stop(); }
