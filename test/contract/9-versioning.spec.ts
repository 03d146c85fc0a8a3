import { dealSet } from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import { BEGINNING, ContractService, PRINCIPALS } from './contract-service.js';

const contract = ContractService.forFile();

describe('9 versioning', () => {
  it('9 every answer carries the revision 2026-10-13, and is for the caller alone', async () => {
    const reader = await contract.newReader();
    const set = dealSet({ buyerId: reader.id });
    await contract.insert(set);
    for (const principal of PRINCIPALS)
      for (const path of [LIST, `${LIST}?since=${BEGINNING}`, `${LIST}/${set.id}`]) {
        const { status, headers } = await contract.service.get(path, reader[principal]);
        expect([status, headers['service-api-version'], headers['cache-control']]).toEqual([
          200,
          '2026-10-13',
          'private, no-store',
        ]);
      }
  });

  it('9 the published schema allows fields that a client does not know', async () => {
    // In a host application, it is the document of the host application.
    const { text } = await contract.service.call('/api/v1/openapi.json');
    const { components } = JSON.parse(text) as { components: { schemas: object } };
    const schemas = Object.entries(components.schemas) as [string, { type?: string }][];
    expect(schemas.length).toBeGreaterThan(10);
    for (const [name, schema] of schemas)
      expect([name, JSON.stringify(schema)]).toEqual([
        name,
        expect.not.stringContaining('"additionalProperties":false'),
      ]);
  });
});
