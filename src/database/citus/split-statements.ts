// What may hold a semicolon: comments, strings, quoted names, dollar quotes; then the semicolon itself.
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]*)\$[\s\S]*?\$\1\$|;/g;

/** The statements of a SQL file, one by one and without comments between them: Citus takes each by itself to the workers. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const match of sql.matchAll(TOKEN)) {
    if (match[0] !== ';') continue;
    statements.push(sql.slice(start, match.index));
    start = match.index + 1;
  }
  statements.push(sql.slice(start));
  return statements
    .map((statement) => statement.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '').trim())
    .filter((statement) => statement !== '');
}
