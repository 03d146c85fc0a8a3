import { adaptedFunction, inOrderOfUse, type SchemaFunction } from './adapt-functions.js';

const PATH = ` SET search_path TO 'public', 'pg_temp'`;

function subject(given: Partial<SchemaFunction> & { readonly body?: string }): SchemaFunction {
  const { body = 'BEGIN\n  RETURN NULL;\nEND ', ...rest } = given;
  const name = given.name ?? 'feed_follow';
  return {
    signature: `${name}()`,
    name,
    isTrigger: true,
    language: 'plpgsql',
    hasPath: true,
    definition: `CREATE OR REPLACE FUNCTION public.${name}()\n LANGUAGE plpgsql\n${PATH}\nAS $function$\n${body}$function$\n`,
    ...rest,
  };
}

describe('adaptedFunction', () => {
  it('lets a trigger function look the shards up first, and takes the table from its argument', () => {
    const adapted = adaptedFunction(
      subject({ body: 'BEGIN\n  EXECUTE TG_TABLE_NAME;\n  RETURN NULL;\nEND ' }),
    );
    expect(adapted).toContain(
      'BEGIN\n  PERFORM public.use_shard_views(TG_TABLE_NAME);\n  EXECUTE TG_ARGV[0];',
    );
    expect(adapted).toContain(PATH);
  });

  it('lets a function that triggers call look names up as they do', () => {
    expect(adaptedFunction(subject({ name: 'feed_mark', isTrigger: false }))).toBe(
      'ALTER FUNCTION feed_mark() RESET search_path',
    );
  });

  it('does nothing to a function that is adapted, has no tables, or has no path', () => {
    const once = subject({});
    const twice = { ...once, definition: adaptedFunction(once)! };
    expect(adaptedFunction(twice)).toBeUndefined();
    expect(adaptedFunction(subject({ name: 'feed_never_back' }))).toBeUndefined();
    const bare = subject({ name: 'folded', isTrigger: false, hasPath: false });
    expect(adaptedFunction(bare)).toBeUndefined();
  });

  it('repeats the body for a changed dealership for each set of shards', () => {
    const adapted = adaptedFunction(
      subject({
        name: 'dealership_changed',
        body: 'DECLARE\n  ids uuid[];\nBEGIN\n  IF true THEN RETURN NULL; END IF;\n  RETURN NULL;\nEND ',
      }),
    )!;
    expect(adapted).toContain(
      'DECLARE\n  shard_views text;\n  ids uuid[];\nBEGIN\n  FOREACH shard_views',
    );
    expect(adapted).toContain(
      'IF true THEN CONTINUE; END IF;\n  CONTINUE;\n  END LOOP;\n  RETURN NULL;\nEND ',
    );
  });

  it('lets the coordinator stamp nothing', () => {
    const adapted = adaptedFunction(subject({ name: 'feed_stamp_all', isTrigger: false }))!;
    expect(adapted).toContain(
      'BEGIN\n  IF public.shard_views_in_use() IS NULL THEN RETURN; END IF;',
    );
    expect(adapted).not.toContain(PATH);
  });

  it('rejects a function of another form', () => {
    expect(() => adaptedFunction(subject({ body: '<<outer>> BEGIN RETURN NULL; END ' }))).toThrow(
      'The body of feed_follow() has no single BEGIN at the beginning of a line',
    );
  });
});

describe('inOrderOfUse', () => {
  const sql = (name: string, body: string): SchemaFunction => ({
    ...subject({ name, isTrigger: false, body }),
    language: 'sql',
  });

  it('puts PL/pgSQL first, and what is called before what calls it', () => {
    const a = sql('a', 'SELECT b()');
    const b = sql('b', 'SELECT public.c(1)');
    const c = sql('c', 'SELECT 1');
    const d = subject({ name: 'd' });
    expect(inOrderOfUse([a, b, c, d]).map(({ name }) => name)).toEqual(['d', 'c', 'b', 'a']);
  });

  it('rejects a circle', () => {
    expect(() => inOrderOfUse([sql('a', 'SELECT b()'), sql('b', 'SELECT a()')])).toThrow('circle');
  });
});
