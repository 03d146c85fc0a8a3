import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { splitStatements } from './split-statements.js';

const MIGRATIONS = path.resolve(__dirname, '../../../migrations');

describe('splitStatements', () => {
  it('ends a statement at a semicolon that is part of nothing else', () => {
    expect(
      splitStatements(
        `-- One; two.\nSELECT ';', E'\\';', "a;b" /* ; */; ;\nDO $$ BEGIN NULL; END $$;\n` +
          'CREATE FUNCTION f() AS $_$ SELECT $$;$$; $_$;SELECT 2 -- last;\n',
      ),
    ).toEqual([
      `SELECT ';', E'\\';', "a;b" /* ; */`,
      'DO $$ BEGIN NULL; END $$',
      'CREATE FUNCTION f() AS $_$ SELECT $$;$$; $_$',
      'SELECT 2 -- last;',
    ]);
  });

  it('splits every migration into statements that begin with a command', () => {
    const commands =
      /^(ALTER|CREATE|DROP|GRANT|REVOKE|INSERT|UPDATE|DELETE|DO|SELECT|COMMENT|SET|WITH|TRUNCATE|ANALYZE) /;
    const starts = readdirSync(MIGRATIONS)
      .filter((file) => file.endsWith('.sql'))
      .flatMap((file) => splitStatements(readFileSync(path.join(MIGRATIONS, file), 'utf8')))
      .filter((statement) => !commands.test(statement.replace(/\s+/g, ' ')))
      .map((statement) => statement.slice(0, 60));
    expect(starts).toEqual([]);
  });
});
