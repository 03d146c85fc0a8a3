/** What the work on a distributed database needs of a connection: the driver's clients have it. */
export interface SqlConnection {
  // The caller names the row's type, as with the driver's own.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<{ rows: Row[] }>;
}
