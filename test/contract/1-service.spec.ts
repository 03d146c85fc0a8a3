import { dealSet } from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import { TestService } from '../setup/test-service.js';
import { BEGINNING, ContractService, PRINCIPALS } from './contract-service.js';

const contract = ContractService.forFile();

describe('1 the service', () => {
  it('1 only reads: no call changes anything in the database', async () => {
    const reader = await contract.newReader();
    const set = dealSet({ buyerId: reader.id });
    await contract.insert(set);
    const { database } = contract.service;
    const tables = await database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'deal_sets'`,
    );
    // Row versions change with any write, whichever connection makes it.
    const versions = tables.map(
      ({ name }) => `SELECT '${name}' AS name, xmin::text, ctid::text FROM deal_sets."${name}"`,
    );
    const image = (): Promise<unknown[]> =>
      database.query(`${versions.join(' UNION ALL ')} ORDER BY name, ctid`);
    const before = await image();
    expect(before.length).toBeGreaterThan(3);
    const unknown = [{ cookie: 'x'.repeat(30) }, { token: 'not.a.token' }, undefined];
    for (const credential of [...PRINCIPALS.map((principal) => reader[principal]), ...unknown])
      for (const path of [LIST, `${LIST}?since=${BEGINNING}`, `${LIST}/${set.id}`])
        await contract.service.get(path, credential);
    expect(await image()).toEqual(before);
  });
});

describe('1 the rollout flags', () => {
  it('1 an endpoint that is not turned on for the caller answers not_found, each on its own', async () => {
    const [anna, ben] = [await contract.newReader(), await contract.newReader()];
    const { database, issuer } = contract.service;
    const partly = await TestService.start({
      database,
      issuer,
      env: { ROLLOUT_LIST: `${ben.id},${anna.id}`, ROLLOUT_GET: ben.id },
    });
    try {
      for (const [reader, codes] of [
        [anna, [undefined, 'not_found']],
        [ben, [undefined, undefined]],
        [await contract.newReader(), ['not_found', 'not_found']],
      ] as const) {
        const set = dealSet({ buyerId: reader.id });
        await contract.insert(set);
        for (const principal of PRINCIPALS) {
          const found = [LIST, `${LIST}/${set.id}`].map((path) =>
            partly.get(path, reader[principal]),
          );
          expect((await Promise.all(found)).map(({ code }) => code)).toEqual(codes);
        }
      }
    } finally {
      await partly.stop();
    }
  });
});
